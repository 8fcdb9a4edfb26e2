import { describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';

const PROJECT_MAX = 400_000;
const PRINCIPAL_MAX = 600_000;
const board = Board.use({
  MAX_STORED_BYTES_PER_PROJECT: String(PROJECT_MAX),
  MAX_STORED_BYTES_PER_PRINCIPAL: String(PRINCIPAL_MAX),
});

const stored = async (holder: string): Promise<number> => {
  const sql = 'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM stored_bytes WHERE holder = $1';
  return (await board.server.query<{ bytes: number }>(sql, [holder]))[0]!.bytes;
};
const storedFor = async (user_id: string): Promise<number> => {
  const [worker] = await board.server.query<{ id: string }>('SELECT id FROM workers WHERE user_id = $1', [user_id]);
  return worker ? stored(`principal worker:${worker.id}`) : 0;
};
/** From the rows themselves, by other statements than those that count. */
const counted = async (project_id: string): Promise<number> => {
  const [row] = await board.server.query<{ bytes: number }>(COUNT, [project_id]);
  return row!.bytes;
};
const COUNT = `
  SELECT (
    (SELECT sum(1024 + octet_length(title || coalesce(description, ''))) FROM tasks WHERE project_id = $1)
    + (SELECT sum(1024 + octet_length(name || coalesce(description, ''))) FROM projects WHERE id = $1)
    + (SELECT coalesce(sum(1024 + octet_length(coalesce(setup_script, '') || coalesce(cleanup_script, ''))), 0)
       FROM repos WHERE project_id = $1)
    + (SELECT coalesce(sum(1024 + octet_length(r.content || r.agent_id || coalesce(r.session_id, ''))), 0)
       FROM thought_records r JOIN tasks t ON t.id = r.task_id WHERE t.project_id = $1)
    + (SELECT coalesce(sum(1024 + octet_length(coalesce(prompt, '') || coalesce(final_message, '')) + log_bytes), 0)
       FROM executions WHERE project_id = $1)
    + (SELECT coalesce(sum(s.bytes), 0)
       FROM workspace_snapshots s JOIN attempts a ON a.id = s.attempt_id WHERE a.project_id = $1)
  )::int AS bytes`;

describe('what is stored', () => {
  it('is counted with every write, by many at once, and moves with a task to another project', async () => {
    const [from, to] = [await board.bareProject('ada', 'From'), await board.bareProject('ada', 'To')];
    const ada = board.as('ada');
    const tasks = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        ada.does('POST', `/api/projects/${from}/tasks`, { title: `Task ${n}`, description: 'ä'.repeat(n * 10) }),
      ),
    );
    await Promise.all(tasks.map(({ task_id }) => ada.does('PUT', `/api/tasks/${task_id}`, { description: 'shorter' })));
    const thought = { type: 'plan', agent_id: 'ada', content: 'x'.repeat(5_000) };
    const { task_id } = tasks[0]!;
    await ada.does('POST', `/api/tasks/${task_id}/thought-records`, thought);
    expect(await stored(`project ${from}`)).toBe(await counted(from));
    const colibri = await board.mcpAs('ada', '/mcp/colibri');
    await colibri.call('task_update', { id: task_id, patch: { project_id: to } });
    expect([await stored(`project ${from}`), await stored(`project ${to}`)]).toEqual([
      await counted(from),
      await counted(to),
    ]);
    expect(await stored(`project ${to}`)).toBeGreaterThan(6_000);
  });

  it('of runs counts for who started them, and is given back with the task', async () => {
    const { project_id } = await board.project();
    const bob = board.as('bob');
    const { task_id } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Print' });
    const before = await storedFor('bob');
    const { attempt_id } = await bob.does('POST', `/api/tasks/${task_id}/attempts`, {
      executor: 'SHELL',
      prompt: 'head -c 100000 /dev/zero | tr "\\0" x | fold -w 1000',
    });
    await board.untilEnded(attempt_id as string);
    expect(await storedFor('bob')).toBeGreaterThan(before + 100_000);
    expect(await stored(`project ${project_id}`)).toBe(await counted(project_id));
    await board.rest.does('DELETE', `/api/tasks/${task_id}`);
    await passKeptDay(board.server.database);
    await eventually('the logs to go', async () => (await storedFor('bob')) < before + 20_000);
    expect(await stored(`project ${project_id}`)).toBe(await counted(project_id));
  });

  it('counts a queued message for who queued it', async () => {
    const { project_id } = await board.project();
    const held = gate(board.server);
    const { attempt_id } = await board.attempt(project_id, held.wait);
    await board.as('carl').does('POST', `/api/attempts/${attempt_id}/follow-up`, {
      action: 'queue',
      prompt: `: ${'c'.repeat(20_000)}`,
    });
    held.open();
    await board.untilEnded(attempt_id as string);
    await eventually('the turn of the message', async () => (await storedFor('carl')) > 20_000);
  });
});

describe('a limit of what is stored', () => {
  const refusal = (limit: string, most: number) => ({
    code: 'too_much_stored',
    status: 429,
    retryable: false,
    details: { limit, most },
  });
  const big = { title: 'Big', description: 'x'.repeat(150_000) };

  it('of a project is told to its members alone; what is there can be read, repeated, shortened', async () => {
    const project_id = await board.bareProject('dora');
    const tasks = `/api/projects/${project_id}/tasks`;
    const dora = board.as('dora');
    const key = { 'idempotency-key': 'first' };
    const first = await dora.answers(201, 'POST', tasks, big, key);
    await dora.does('POST', tasks, big);
    expect(await dora.refused('POST', tasks, big)).toMatchObject(refusal('MAX_STORED_BYTES_PER_PROJECT', PROJECT_MAX));
    const { task_id } = first;
    const thought = { type: 'plan', agent_id: 'dora', content: big.description };
    for (const [path, body] of [
      [`/api/tasks/${task_id}/subtasks`, big],
      [`/api/tasks/${task_id}/thought-records`, thought],
    ] as const)
      expect(await dora.refused('POST', path, body)).toMatchObject({ code: 'too_much_stored' });
    const longer = { description: 'x'.repeat(400_000) };
    expect(await dora.refused('PUT', `/api/tasks/${task_id}`, longer)).toMatchObject({ code: 'too_much_stored' });
    expect(await board.as('eve').refused('POST', tasks, big)).toMatchObject({ code: 'not_a_member' });
    expect(await dora.answers(201, 'POST', tasks, big, key)).toMatchObject({ task_id });
    await dora.does('PUT', `/api/tasks/${task_id}`, { description: 'short' });
    await eventually('room', async () => (await dora.post(tasks, big)).status === 201);
  });

  it('of a caller holds across projects, and for turns too', async () => {
    const projects = [await board.bareProject('fred'), await board.bareProject('fred')];
    const fred = board.as('fred');
    for (const project_id of [...projects, ...projects.slice(0, 1)])
      await fred.does('POST', `/api/projects/${project_id}/tasks`, big);
    const { project_id } = await board.project();
    const start = { executor: 'SHELL', prompt: `: ${big.description}` };
    const { task_id } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Start' });
    const full = refusal('MAX_STORED_BYTES_PER_PRINCIPAL', PRINCIPAL_MAX);
    expect(await fred.refused('POST', `/api/tasks/${task_id}/attempts`, start)).toMatchObject(full);
    const description = big.description;
    expect(await fred.refused('POST', '/api/projects', { name: 'More', description })).toMatchObject(full);
    await board.as('gina').does('POST', `/api/tasks/${task_id}/attempts`, { executor: 'SHELL', prompt: 'true' });
  });
});
