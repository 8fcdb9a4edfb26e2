import { instead, type Row, type World, wrong } from './world.js';

const LOOK = 'get_attempt_delivery';

/** Right words at the wrong time. */
export const kanbanStates: Row[] = [
  ['a merge of what runs', (w) => w.whileRunning(({ attempt_id }) => same('merge_attempt', { attempt_id }))],
  ['a merge of what failed', async (w) => look('merge_attempt', await w.failed(), 'tail_attempt_logs')],
  ['a push of what failed', async (w) => look('push_attempt', await w.failed(), 'tail_attempt_logs')],
  [
    'a merge of nothing',
    async (w) => same('merge_attempt', { attempt_id: (await w.board.endedAttempt(w.project_id)).attempt_id }),
  ],
  [
    'a second merge',
    async (w) => {
      const attempt_id = await w.ownWork('twice.txt');
      await w.board.kanban.call('merge_attempt', { attempt_id });
      return same('merge_attempt', { attempt_id });
    },
  ],
  [
    'an undo of nothing',
    async (w) => instead('merge_attempt', { attempt_id: await w.work(), action: 'undo' }, LOOK, {}),
  ],
  [
    'another head',
    async (w) => look('merge_attempt', await w.work(), 'get_attempt_changes', { expected_head: '0123456' }),
  ],
  [
    'other content',
    async (w) => look('merge_attempt', await w.work(), 'get_attempt_changes', { expected_content: '0123456' }),
  ],
  [
    'an abbreviated head',
    async (w) => {
      const attempt_id = await w.work();
      const { head } = await w.delivery(attempt_id);
      return same('merge_attempt', {
        attempt_id,
        dry_run: true,
        expected_head: (head as string).slice(0, 9).toUpperCase(),
      });
    },
  ],
  ['a merge that conflicts', async (w) => look('merge_attempt', await w.conflicting(), 'update_attempt_branch')],
  [
    'a continue without conflict',
    async (w) => look('update_attempt_branch', await w.work(), LOOK, { action: 'continue' }),
  ],
  ['an abort without conflict', async (w) => look('update_attempt_branch', await w.work(), LOOK, { action: 'abort' })],
  ['an update without action', async (w) => update(await w.work(), {})],
  ['rebase as action', async (w) => update(await w.work(), { action: 'rebase' })],
  ['a branch of nothing', async (w) => update(await w.work(), { action: 'start', target_branch: 'master' })],
  ['strategy for method', async (w) => update(await w.work(), { action: 'start', strategy: 'rebase' })],
  ['a merge into a checkout', async (w) => look('merge_attempt', await w.checkedOut(), LOOK)],
  [
    'a push without remote',
    async (w) => person('push_attempt', { attempt_id: await w.work() }, /person.*git remote add origin/),
  ],
  [
    'a start without repository',
    async (w) => person('start_task_attempt', await unhoused(w), /POST \/api\/projects\/.*\/repos/),
  ],
  [
    'a send to what runs',
    (w) =>
      w.whileRunning(({ session_id }) => {
        const message = { session_id, prompt: 'echo my words' };
        return wrong('follow_up', { ...message, action: 'send' }, { ...message, action: 'queue' });
      }),
  ],
  [
    'an update of what runs',
    (w) => w.whileRunning(({ attempt_id }) => same('update_attempt_branch', { attempt_id, action: 'start' })),
  ],
  [
    'resolve of a script',
    async (w) => {
      const attempt_id = await w.ownWork('resolved.txt');
      return wrong(
        'follow_up',
        { attempt_id, action: 'send', resolve: true },
        { attempt_id, action: 'send', prompt: 'echo my words' },
      );
    },
  ],
  ['a cancel of nothing', async (w) => same('follow_up', { attempt_id: await w.work(), action: 'cancel' })],
  ['a stop of what has ended', async (w) => same('stop_attempt', { attempt_id: await w.work() })],
  [
    'a message before a session',
    async (w) => {
      const { attempt_id } = await w.withoutSession();
      return look('follow_up', attempt_id as string, 'get_attempt_status', { action: 'send', prompt: 'echo my words' });
    },
  ],
  [
    'messages before a session',
    async (w) => {
      const { attempt_id } = await w.withoutSession();
      return instead('tail_session_messages', { attempt_id }, 'get_attempt_status', { attempt_id });
    },
  ],
  [
    'the status of a task without attempts',
    async (w) => {
      const task_id = await w.task();
      const right = { task_id, executor: 'SHELL', prompt: 'echo my words' };
      return instead('get_attempt_status', { attempt_id: task_id }, 'start_task_attempt', right);
    },
  ],
  ['a delete of what runs', (w) => w.whileRunning(({ task_id }) => same('delete_task', { task_id }))],
  [
    'a deleted task',
    async (w) => {
      const task_id = await w.task('Gone');
      await w.board.kanban.call('delete_task', { task_id });
      return wrong('get_task', { task_id }, { task_id: await w.task('Still here') });
    },
  ],
  [
    'a key for another request',
    async (w) => {
      const { project_id } = w;
      await w.board.kanban.call('create_task', { project_id, title: 'Once', request_id: 'key-of-a-reader' });
      const again = { project_id, title: 'Another one' };
      return wrong('create_task', { ...again, request_id: 'key-of-a-reader' }, again);
    },
  ],
];

type Values = Record<string, unknown>;
const same = (tool: string, args: Values) => wrong(tool, args);
/** The caller has to decide: a look is all that the server can lead to. */
const look = (tool: string, attempt_id: string, goal: string, more: Values = {}) =>
  instead(tool, { attempt_id, ...more }, goal, { attempt_id });
/** No call helps. */
const person = (tool: string, args: Values, hint: RegExp) => ({ ...wrong(tool, args), person: hint });
const unhoused = async ({ board }: World) => ({
  task_id: await board.task(await board.bareProject()),
  executor: 'SHELL',
});
const update = (attempt_id: string, more: Values) =>
  wrong('update_attempt_branch', { attempt_id, ...more }, { attempt_id, action: 'start' });
