import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { eventually, processesTyped } from '../../support/eventually.js';
import { onlyWith } from '../../support/machine.js';

const [cpu] = /\d+/.exec(/^Cpus_allowed_list:.*$/m.exec(readFileSync('/proc/self/status', 'utf8'))![0])!;
/** Typed so that it is found; it counts, and calls nothing. */
const busy = (mark: string) => ['-c', cpu, process.execPath, '-e', `for (let ${mark} = 0; ; ) ${mark} += 1`];
const mark = `run${process.pid}`;

/** Ticks of the CPU that processes have had. */
function ticks(pids: readonly number[]): number {
  const had = pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(stat[11]) + Number(stat[12]);
  });
  return had.reduce((sum, one) => sum + one, 0);
}

onlyWith('taskset').describe('a run that takes all the CPU there is', () => {
  const board = Board.use({ ISOLATION: 'none' });
  let server: ChildProcess | undefined;
  afterEach(() => void server?.kill('SIGKILL'));

  it('leaves it to whoever has the rank of the server', async () => {
    const { project_id } = await board.project();
    const task_id = await board.task(project_id);
    const loop = busy(mark).map((word) => `'${word}'`);
    const prompt = `for one in 1 2 3 4; do taskset ${loop.join(' ')} & done; wait`;
    const { attempt_id } = await board.kanban.call('start_task_attempt', { task_id, executor: 'SHELL', prompt });
    const loops = () => processesTyped(`${process.execPath} -e for (let ${mark} = 0`);
    await eventually('four loops', () => loops().length === 4);
    server = spawn('taskset', busy('server'), { stdio: 'ignore', detached: true });
    const before = ticks(loops());
    await eventually('a second of the CPU', () => ticks([server!.pid!]) >= 100);
    expect(ticks(loops()) - before).toBeLessThan(ticks([server.pid!]) / 2);
    await board.kanban.call('stop_attempt', { attempt_id, force: true });
    await board.untilEnded(attempt_id as string);
  });
});
