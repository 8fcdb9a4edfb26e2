import { describe, expect, it } from '@jest/globals';
import { textOf } from '../../../test/fixtures/children/children.js';
import { useChildren } from '../../../test/fixtures/children/use-children.js';
import { eventually } from '../../../test/support/eventually.js';
import { besideServer } from './launch.js';
import type { Launcher, ProcessSpec } from './process-types.js';
import { SupervisedProcess } from './supervised-process.js';

const killed = { exit_code: null, signal: 'SIGKILL', spawn_error: null };
const child = useChildren();

function start(args: readonly string[], more: Partial<ProcessSpec> = {}) {
  const run = child(args, more);
  return { run, started: SupervisedProcess.start(run.spec) };
}

async function ready(...args: string[]) {
  const { run, started } = start(args);
  await run.says('ready');
  return { run, started };
}

/** Tells which signals it sent. */
function telling(signals: string[]): Launcher {
  return {
    launch(spec) {
      const { child, exited } = besideServer.launch(spec);
      const signal = (name: NodeJS.Signals) => {
        signals.push(name);
        child!.signal(name);
      };
      return { child: { ...child!, signal }, exited };
    },
  };
}

describe('a stop', () => {
  it('begins with SIGINT', async () => {
    const { started } = await ready('stay');
    expect(await started.stop({ force: false })).toEqual({ exit_code: null, signal: 'SIGINT', spawn_error: null });
  });

  it('goes on with SIGTERM', async () => {
    const { run, started } = await ready('survive', 'SIGINT');
    expect(await started.stop({ force: false })).toEqual({ exit_code: null, signal: 'SIGTERM', spawn_error: null });
    expect(run.texts).toEqual(['ready', 'got SIGINT']);
  });

  it('ends with SIGKILL', async () => {
    const { run, started } = await ready('survive', 'SIGINT', 'SIGTERM');
    expect(await started.stop({ force: false })).toEqual(killed);
    expect(run.texts).toEqual(['ready', 'got SIGINT', 'got SIGTERM']);
  });

  it('sends no signal when the program takes the cancel', async () => {
    const { run, started } = start(['echo'], { stdin: 'pipe' });
    await started.write('ready\n');
    await run.says('ready');
    const end = await started.stop({
      force: false,
      cancel: async () => {
        await started.write('cancel\n');
        started.closeStdin();
        await started.exited;
      },
    });
    expect(end).toEqual({ exit_code: 0, signal: null, spawn_error: null });
    expect(run.texts).toEqual(['ready', 'cancel']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no such turn'))],
    [
      'throws',
      () => {
        throw new Error('no such turn');
      },
    ],
    ['is confirmed while the program stays', () => Promise.resolve()],
    ['is never answered', () => new Promise<void>(() => undefined)],
  ])('goes on with SIGINT when the cancel %s', async (_, cancel) => {
    const { started } = await ready('stay');
    expect((await started.stop({ force: false, cancel })).signal).toBe('SIGINT');
  });

  it('is over sooner for a program that confirms the cancel and stays', async () => {
    const signals: string[] = [];
    const polite = start(['survive', 'SIGINT', 'SIGTERM'], { launcher: telling(signals) });
    await polite.run.says('ready');
    const mute = await ready('survive', 'SIGINT', 'SIGTERM');
    const stopped = mute.started
      .stop({ force: false, cancel: () => Promise.reject(new Error('no such turn')) })
      .then(() => 'mute');
    const first = await Promise.race([
      stopped,
      polite.started.stop({ force: false, cancel: () => Promise.resolve() }).then(() => 'polite'),
    ]);
    expect(first).toBe('polite');
    expect(signals).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    await mute.started.stop({ force: true });
  });

  it('with force is SIGKILL at once, and no cancel', async () => {
    const { run, started } = await ready('survive', 'SIGINT', 'SIGTERM');
    let isCancelled = false;
    expect(
      await started.stop({
        force: true,
        cancel: () => Promise.resolve(void (isCancelled = true)),
      }),
    ).toEqual(killed);
    expect(run.texts).toEqual(['ready']);
    expect(isCancelled).toBe(false);
  });

  it('can be asked for many times, and by force while another is under way', async () => {
    const { run, started } = await ready('survive', 'SIGINT', 'SIGTERM');
    const gentle = [started.stop({ force: false }), started.stop({ force: false })];
    await run.says('got SIGINT');
    const ends = await Promise.all([...gentle, started.stop({ force: true }), started.stop({ force: false })]);
    expect(ends).toEqual([killed, killed, killed, killed]);
    expect(run.texts).toEqual(['ready', 'got SIGINT']);
    expect(await started.stop({ force: false })).toEqual(killed);
  });

  it('sends its signals to the whole group', async () => {
    const { run, started } = start(['survive-with-group', 'SIGINT']);
    await eventually('both', () => run.texts.length === 2);
    const stopped = started.stop({ force: false });
    await eventually('SIGINT in both', () => run.texts.filter((text) => text === 'got SIGINT').length === 2);
    await started.stop({ force: true });
    expect(await stopped).toEqual(killed);
  });

  it('reaches the group and what has left it', async () => {
    const { run, started } = start(['stay-with-group-and-escaped']);
    await eventually('three processes', () => run.texts.length === 3);
    await eventually('nobody but them', () => run.survivors().length === 3);
    await started.stop({ force: false });
    expect(run.survivors()).toEqual([]);
  });

  it('by force kills a program that a busy consumer holds back', async () => {
    let release = () => undefined as void;
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { started } = start(['write-for-ever'], { untilRoom: () => busy });
    const stopped = started.stop({ force: true });
    expect(await started.exited).toEqual(killed);
    release();
    expect(await stopped).toEqual(killed);
  });
});

describe('an end', () => {
  const ended = { exit_code: 0, signal: null, spawn_error: null };

  it.each([
    ['of the group', 'leak-to-group'],
    ['in a session of its own', 'leak-to-session', 'stay'],
    ['that never stops writing', 'leak-to-session', 'write-for-ever'],
  ])('ends at once though a grandchild %s holds the output, and ends that too', async (_, ...args) => {
    const { run, started } = start(args);
    expect(await started.exited).toEqual(ended);
    await eventually('the grandchild', () => run.texts.length > 0);
    await eventually('it alone', () => run.survivors().length === 1);
    expect(await started.ended).toEqual(ended);
    expect(run.survivors()).toEqual([]);
  });

  it('drains no longer when a stop is asked', async () => {
    const leaks = [start(['leak-to-session', 'write-for-ever']), start(['leak-to-session', 'write-for-ever'])];
    await Promise.all(leaks.map(({ started }) => started.exited));
    await eventually('the grandchildren', () => leaks.every(({ run }) => run.texts.length > 0));
    const [left, stopped] = leaks.map(({ started }) => started);
    const first = await Promise.race([
      left!.ended.then(() => 'left'),
      stopped!.stop({ force: false }).then(() => 'stopped'),
    ]);
    expect(first).toBe('stopped');
    await left!.stop({ force: true });
  });

  it('takes along what is in the group, also without the marker', async () => {
    const { run, started } = start(['leak-to-group-without-environment']);
    const pid = Number((await run.says('ready')).split(' ')[1]);
    expect(await started.ended).toEqual(ended);
    await eventually('the end of the grandchild', () => textOf(`/proc/${pid}/cmdline`) === '');
  });

  it('comes even when a grandchild that cannot be found holds the output', async () => {
    const { run, started } = start(['leak-to-session-without-environment']);
    const pid = Number((await run.says('ready')).split(' ')[1]);
    try {
      expect(await started.ended).toEqual(ended);
      expect(textOf(`/proc/${pid}/cmdline`)).toContain('stay');
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('leaves other runs alone, also those whose marker begins the same', async () => {
    const { run: other, started: neighbour } = start(['stay'], { marker: 'run-10' });
    await other.says('ready');
    await start(['exit', '0'], { marker: 'run-1' }).started.ended;
    expect(other.survivors()).toEqual([neighbour.pid]);
    await neighbour.stop({ force: true });
  });
});
