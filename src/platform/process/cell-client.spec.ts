import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { TestCell } from '../../../test/support/cell.js';
import { eventually, processesTyped } from '../../../test/support/eventually.js';
import { onlyWith } from '../../../test/support/machine.js';
import { CellClient } from './cell-client.js';
import type { ProcessSpec } from './process-types.js';
import { SupervisedProcess } from './supervised-process.js';

onlyWith('bubblewrap').describe('a process in the container beside', () => {
  const cell = new TestCell();
  const client = new CellClient(cell.socket);
  beforeAll(() => cell.start());
  afterAll(() => cell.remove());
  beforeEach(() => client.ready());

  let count = 0;
  function start(script: string, more: Partial<ProcessSpec> = {}) {
    const said: string[] = [];
    const started = SupervisedProcess.start({
      ...{ program: 'sh', args: ['-c', script], cwd: '/', env: { COLOUR: 'blue' }, stdin: 'closed' },
      marker: `cell-spec-${process.pid}-${(count += 1)}`,
      onLine: ({ stream, text }) => void said.push(`${stream}: ${text}`),
      launcher: client,
      ...more,
    });
    return { started, said };
  }
  const seconds = () => `9${process.pid}${count}`;

  it('has its arguments, its environment, its output and its exit code', async () => {
    const { started, said } = start('echo "$COLOUR $TASKYARD_RUN $HOME"; echo wrong >&2; exit 7');
    expect(await started.ended).toEqual({ exit_code: 7, signal: null, spawn_error: null });
    expect(said.sort()).toEqual(['stderr: wrong', `stdout: blue ${started.marker} /tmp/home`]);
  });

  it('reads what is written to it, until that ends', async () => {
    const { started, said } = start('cat', { stdin: 'pipe' });
    expect(await started.write('one\n')).toBe(true);
    expect(await started.write('x'.repeat(300_000) + '\n')).toBe(true);
    started.closeStdin();
    expect(await started.ended).toMatchObject({ exit_code: 0 });
    expect(said[0]).toBe('stdout: one');
    expect(said.slice(1).join('').replaceAll('stdout: ', '')).toHaveLength(300_000);
  });

  it('does not write on while nobody takes what it says', async () => {
    let room!: () => void;
    const untilRoom = new Promise<void>((resolve) => (room = resolve));
    const { started, said } = start('yes', { untilRoom: () => untilRoom });
    await eventually('some of it', () => said.length > 0);
    const before = said.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(said.length).toBe(before);
    const ended = started.stop({ force: true });
    room();
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  });

  it.each([
    [['/no/such/program'], '/', /^\/no\/such\/program could not be started: .*ENOENT/],
    [['true'], '/no/such/folder', /^true could not be started: the working directory .* does not exist$/],
  ])('says why it could not be started: %s in %s', async ([program], cwd, reason) => {
    const { spawn_error } = await start('', { program: program!, args: [], cwd }).started.ended;
    expect(spawn_error).toMatch(reason);
  });

  it('is asked to stop, and then made to', async () => {
    const polite = start("trap 'echo bye; exit 3' INT; echo on; while :; do sleep 0.01; done");
    await eventually('it to listen', () => polite.said.length > 0);
    expect(await polite.started.stop({ force: false })).toMatchObject({ exit_code: 3 });
    expect(polite.said).toContain('stdout: bye');
  });

  it('leaves nothing behind, whatever has left its group, its environment and its parent', async () => {
    const time = seconds();
    const { started } = start(
      `(setsid env -i sleep ${time} &); (unset TASKYARD_RUN; setsid sleep ${time} &); sleep 0.2`,
    );
    await started.ended;
    expect(processesTyped(`sleep ${time}`)).toEqual([]);
  });

  it('finds no socket by which it could speak to the launcher', async () => {
    const { started, said } = start(`ls -A "$(dirname ${cell.socket})"; echo end`);
    await started.ended;
    expect(said).toEqual(['stdout: end']);
  });

  it('is lost where the launcher stands still, to which nobody goes again', async () => {
    const other = new TestCell();
    await other.start();
    const server = new CellClient(other.socket);
    await server.ready();
    const { started, said } = start('echo on; sleep 60', { launcher: server });
    await eventually('it to run', () => said.length > 0);
    other.standStill();
    expect(await started.ended).toMatchObject({ isLost: true });
    await other.end();
    await other.start();
    await expect(server.ready()).rejects.toThrow('stood still');
    await other.remove();
  });

  it('ends with the connection of its server, also where it has hidden', async () => {
    const other = new TestCell();
    await other.start();
    const time = seconds();
    const server = new CellClient(other.socket);
    await server.ready();
    const { started, said } = start(`setsid env -i sleep ${time} & echo on; wait`, { launcher: server });
    await eventually('it to run', () => said.length > 0);
    await other.end();
    expect(await started.ended).toMatchObject({ exit_code: null, isLost: true });
    expect(processesTyped(`sleep ${time}`)).toEqual([]);
    await expect(server.ready(0)).rejects.toThrow('nobody listens at');
    await other.start();
    await server.ready();
    expect(server.problem).toBeNull();
    await other.remove();
  });
});
