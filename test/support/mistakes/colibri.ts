import { instead, nowhere, type Row, wrong } from './world.js';

/** Mistakes of Colibri's agents. */
export const colibriMistakes: Row[] = [
  ['task_id for id', async (w) => get({ task_id: await w.task() })],
  ['taskId for id', async (w) => get({ taskId: await w.task() })],
  ['no id', (w) => wrong('task_get', {}, { id: w.task_id })],
  ['an unknown task', (w) => wrong('task_get', { id: nowhere }, { id: w.task_id })],
  ['a title as task', async (w) => wrong('task_get', { id: 'seen once' }, { id: await w.task('Seen once') })],
  ['an attempt as task', (w) => wrong('task_get', { id: w.attempt_id }, { id: w.task_id })],
  ['a project as task', (w) => wrong('task_get', { id: w.project_id }, { id: w.task_id })],
  ['a padded id', (w) => wrong('task_get', { id: ` ${w.task_id} ` })],
  ['a stage in lower case', async (w) => update(await w.task(), { status: 'plan' })],
  ['in_progress for a stage', async (w) => update(await w.task(), { status: 'in_progress' }, { status: 'GATHER' })],
  ['todo for INIT', async (w) => update(await w.task(), { status: 'todo' })],
  ['review for VERIFY', async (w) => update(await w.task(), { status: 'review' })],
  ['canceled', async (w) => update(await w.task(), { status: 'canceled' })],
  ['a stage of nothing', async (w) => update(await w.task(), { status: 'SHIPPED' }, { status: 'VERIFY' })],
  ['stage for status', async (w) => update(await w.task(), { stage: 'PLAN' }, { status: 'PLAN' })],
  ['fields outside of patch', async (w) => outside(await w.task())],
  ['a patch as text', async (w) => wrong('task_update', { id: await w.task(), patch: '{"status":"PLAN"}' })],
  ['no patch', async (w) => noPatch(await w.task())],
  ['DONE without a record', async (w) => ({ ...update(await w.task(), { status: 'DONE' }), own: words })],
  ['done without a record', async (w) => ({ ...update(await w.task(), { status: 'completed' }), own: words })],
  ['an unknown project', async (w) => update(await w.task(), { project_id: 'paiments' }, { project_id: null })],
  ['a name as project', async (w) => update(await w.task(), { project_id: 'Payments' })],
  ['a project of tasks with attempts', (w) => update(w.task_id, { project_id: null }, { title: 'My words' })],
  ['a limit as text', () => wrong('task_list', { limit: '5' })],
  ['a limit above the most', () => wrong('task_list', { limit: 1000 }, { limit: 500 })],
  ['a page of thoughts by offset', () => wrong('thought_record_list', { offset: 0 }, {})],
  ['true as text', () => wrong('task_list', { include_deleted: 'true' })],
  ['a stage to list in lower case', () => wrong('task_list', { status: 'verify' })],
  ['arguments for what takes none', () => wrong('task_next_actions', { limit: 5 }, {})],
  ['an unknown type of thought', async (w) => thought(await w.task(), { type: 'note' }, { type: 'reflection' })],
  ['a type in capitals', async (w) => thought(await w.task(), { type: 'PLAN' })],
  ['text for content', async (w) => thoughtOf(await w.task(), { text: 'my words' })],
  ['no author', async (w) => noAuthor(await w.task())],
  ['a thought about nothing', (w) => thoughtOn(nowhere, w.task_id)],
  ['a thought about an attempt', (w) => thoughtOn(w.attempt_id, w.task_id)],
  ['id for task_id of a thought', async (w) => idOfThought(await w.task())],
  ['no title', () => wrong('task_create', { description: 'some words' }, { title: 'My words' })],
  ['name for title', () => wrong('task_create', { name: 'My words' }, { title: 'My words' })],
  ['verification of an attempt', (w) => wrong('audit_verify_chain', { task_id: w.attempt_id }, { task_id: w.task_id })],
  ['tasks_list', () => instead('tasks_list', {}, 'task_list', {})],
  ['get_task', (w) => instead('get_task', { id: w.task_id }, 'task_get', { id: w.task_id })],
  ['record_thought', async (w) => unknownThought(await w.task())],
];

type Values = Record<string, unknown>;
const get = (target: Values) => wrong('task_get', target, { id: Object.values(target)[0] });
const update = (id: string, patch: Values, right: Values = patch) =>
  wrong('task_update', { id, patch }, { id, patch: right });
const noPatch = (id: string) => wrong('task_update', { id }, { id, patch: { title: 'My words' } });
const outside = (id: string) => wrong('task_update', { id, status: 'PLAN' }, { id, patch: { status: 'PLAN' } });
const words = { type: 'plan', agent_id: '@ada', content: 'my words' };
const thought = (task_id: string, more: Values, right: Values = more) =>
  wrong('thought_record', { task_id, ...words, ...more }, { task_id, ...words, ...right });
const thoughtOf = (task_id: string, { text }: Values) =>
  wrong('thought_record', { task_id, type: 'plan', agent_id: '@ada', text }, { task_id, ...words });
const noAuthor = (task_id: string) =>
  wrong('thought_record', { task_id, type: 'plan', content: 'my words' }, { task_id, ...words, agent_id: 'my own' });
const thoughtOn = (wrongId: string, task_id: string) =>
  wrong('thought_record', { task_id: wrongId, ...words }, { task_id, ...words });
const idOfThought = (task_id: string) => wrong('thought_record', { id: task_id, ...words }, { task_id, ...words });
const unknownThought = (task_id: string) =>
  instead('record_thought', { task_id, ...words }, 'thought_record', { task_id, ...words });
