import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseSandbox } from '../../../src/platform/sandbox/choose-sandbox.js';
import { Board } from '../../support/board-fixture.js';
import { eventually, processesTyped } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

const RUN_MEMORY_MAX = 128 * 1024 ** 2;
const RUN_PROCESSES_MAX = 40;
const settings = { ISOLATION: 'none', RUN_MEMORY_MAX, RUN_PROCESSES_MAX, RUN_DISK_MAX: 0 } as const;
const { limits } = await chooseSandbox(settings, [], []);
const areKept = limits.memory === 'cgroup' && limits.processes === 'cgroup';
const whereKept = areKept ? describe : describe.skip;

const ALL_MEMORY = `exec '${process.execPath}' -e 'for (const all = []; ; ) all.push(Buffer.alloc(1e7, 1))'`;
const MANY_PROCESSES = 'for i in $(seq 80); do sleep 60 & done; wait';
const agent = path.join(import.meta.dirname, '../../fixtures/greedy-agent.mjs');

whereKept('a run that a limit of the kernel cuts off', () => {
  const files = new GitSandbox();
  const declared = { id: 'GREEDY', command: process.execPath, args: [agent], protocol: 'acp', mcp: false };
  writeFileSync(files.path('executors.json'), JSON.stringify({ executors: [declared] }));
  const board = Board.use({
    ISOLATION: 'none', // a PID namespace would end everything by itself
    RUN_MEMORY_MAX: String(RUN_MEMORY_MAX),
    RUN_PROCESSES_MAX: String(RUN_PROCESSES_MAX),
    EXECUTORS_FILE: files.path('executors.json'),
  });
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });
  afterAll(() => files.remove());

  it.each([
    ['memory', 'SHELL', ALL_MEMORY, 'RUN_MEMORY_MAX'],
    ['memory', 'GREEDY', 'Take what you can get.', 'RUN_MEMORY_MAX'],
    ['processes', 'SHELL', MANY_PROCESSES, 'RUN_PROCESSES_MAX'],
  ])('says so: %s of %s', async (_, executor, prompt, setting) => {
    const task_id = await board.task(project_id);
    const { attempt_id } = await board.kanban.call('start_task_attempt', { task_id, executor, prompt });
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining(setting),
    });
    const { page } = await board.kanban.call('tail_attempt_logs', { attempt_id });
    const last = page.entries.at(-1) as Json;
    expect(last.entry).toMatchObject({ error_kind: 'resource_limit', content: expect.stringContaining(setting) });
  });

  it('leaves nothing of it behind, whatever has left its group, its environment and its parent', async () => {
    const trace = `3${process.pid}`;
    const script = `setsid env -i sleep ${trace} & (unset TASKYARD_RUN; setsid sleep ${trace} &) ; echo left`;
    expect(await board.endedAttempt(project_id, script)).toMatchObject({ final_message: 'left' });
    await eventually('its processes to end', () => processesTyped(`sleep ${trace}`).length === 0);
  });

  it('costs others nothing: the next one runs', async () => {
    expect(await board.endedAttempt(project_id, 'echo modest')).toMatchObject({ final_message: 'modest' });
  });
});
