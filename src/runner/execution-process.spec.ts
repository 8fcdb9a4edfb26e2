import { describe, expect, it } from '@jest/globals';
import { LOST_AT_SHUTDOWN, StopState } from './execution-process.js';

describe('what was asked of a process', () => {
  const summary = (state: StopState): string | null => state.cutShort?.failure_summary ?? null;

  it('is nothing where it ends by itself', () => {
    const state = new StopState();
    state.exited();
    expect(state.cutShort).toBeNull();
    expect(state.isStopped).toBe(false);
  });

  it('may go from gentle to force, and not back', () => {
    const state = new StopState();
    expect(state.request(false)).toBe(true);
    expect(state.request(false)).toBe(false);
    expect(state.request(true)).toBe(true);
    expect(state.request(false)).toBe(false);
    expect(state.request(true)).toBe(false);
    expect(state.cutShort).toMatchObject({ status: 'killed', failure_summary: 'killed' });
  });

  it('counts as its first cause: a limit, a shutdown or a stop', () => {
    const timedOut = new StopState();
    timedOut.timedOut(1_500);
    timedOut.request(false);
    timedOut.interrupted('the server was shut down');
    expect(timedOut.cutShort).toMatchObject({ status: 'failed', error: { error_kind: 'timeout' } });
    expect(summary(timedOut)).toBe('timed out after 1.5 s');

    const interrupted = new StopState();
    interrupted.interrupted('the server was shut down');
    interrupted.request(false);
    expect(summary(interrupted)).toBe(LOST_AT_SHUTDOWN);

    const stopped = new StopState();
    stopped.request(false);
    stopped.timedOut(1_000);
    expect(summary(stopped)).toBe('killed');
  });

  it('is the end of the lease where that ended it, whose messages run on', () => {
    const state = new StopState();
    state.interrupted('it went silent');
    state.exited();
    expect(state.cutShort).toMatchObject({ status: 'failed', ending: 'interrupted' });
    expect(summary(state)).toBe('runner lost: it went silent');
  });

  it('only hastens the end after the exit', () => {
    const state = new StopState();
    state.exited();
    expect(state.request(true)).toBe(true);
    state.interrupted('the server was shut down');
    state.timedOut(1_000);
    expect(state.cutShort).toBeNull();
  });
});
