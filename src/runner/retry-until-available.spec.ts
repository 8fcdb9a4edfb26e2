import { describe, expect, it } from '@jest/globals';
import { AppError } from '../platform/errors/app-error.js';
import { retryUntilAvailable } from './retry-until-available.js';

/** Fails so often, then answers. */
function failing(times: number, error: Error): () => Promise<string> {
  let left = times;
  return () => (left-- > 0 ? Promise.reject(error) : Promise.resolve('done'));
}

describe('work that waits for the database', () => {
  const away = new AppError('database_unavailable');

  it('is repeated until the database answers', async () => {
    expect(await retryUntilAvailable(new AbortController().signal, failing(2, away))).toBe('done');
  });

  it('is given up once the lease is lost', async () => {
    const lease = new AbortController();
    setTimeout(() => lease.abort(), 100);
    expect(await retryUntilAvailable(lease.signal, failing(Infinity, away))).toBeNull();
  });

  it('is not repeated after any other failure', async () => {
    const work = failing(1, new AppError('repo_locked'));
    await expect(retryUntilAvailable(new AbortController().signal, work)).rejects.toThrow('lock');
    expect(await work()).toBe('done');
  });
});
