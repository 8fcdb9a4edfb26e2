import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../config/environment.js';
import { localTokenFile, needsLocalToken, openLocalToken, tokenForApi } from './local-token.js';

describe('the local token', () => {
  let DATA_DIR: string;
  beforeEach(() => {
    DATA_DIR = mkdtempSync(path.join(tmpdir(), 'local-token-'));
  });
  afterEach(() => rmSync(DATA_DIR, { recursive: true }));

  it('is made once, for the eyes of its owner alone', async () => {
    const token = await openLocalToken({ DATA_DIR });
    const file = localTokenFile({ DATA_DIR });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${token}\n`, 0o600]);
    expect(await openLocalToken({ DATA_DIR })).toBe(token);
    writeFileSync(file, 'guessable', { mode: 0o644 });
    expect(await openLocalToken({ DATA_DIR })).toMatch(/^ty_local_[\w-]{43}$/);
  });

  it('is what programs of the owner send to this machine, and nowhere else', async () => {
    const sent = (settings: object) => tokenForApi(loadEnvironment({ DATA_DIR, ...settings }));
    expect(sent({})).toBe('');
    const token = await openLocalToken({ DATA_DIR });
    expect(sent({})).toBe(token);
    expect(sent({ TASKFLOW_SERVICE_TOKEN: 'given' })).toBe('given');
    expect(sent({ TASKFLOW_API_URL: 'https://taskyard.example' })).toBe('');
  });

  it.each([
    [{}, 'bubblewrap', true],
    [{}, 'container', true],
    [{}, 'none', false],
    [{ ROLE: 'runner' }, 'bubblewrap', false],
    [{ TASKFLOW_SERVICE_TOKEN: 'x' }, 'bubblewrap', false],
    [{ OIDC_ISSUER: 'https://login.example' }, 'bubblewrap', false],
  ] as const)('is needed with %j and isolation %s: %s', (settings, isolation, expected) => {
    expect(needsLocalToken(loadEnvironment({ ...settings }), { isolation })).toBe(expected);
  });
});
