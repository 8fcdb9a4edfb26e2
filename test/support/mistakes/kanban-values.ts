import { instead, type Row, type World, wrong } from './world.js';

/** Words, types and names that are not quite those of the schema. */
export const kanbanValues: Row[] = [
  ['completed for done', async (w) => wrong('update_task', { task_id: await w.task(), status: 'completed' })],
  ['Done', async (w) => wrong('update_task', { task_id: await w.task(), status: 'Done' })],
  ['in progress', async (w) => wrong('update_task', { task_id: await w.task(), status: ' In Progress ' })],
  ['canceled', async (w) => wrong('update_task', { task_id: await w.task(), status: 'canceled' })],
  ['the word of TaskFlow', async (w) => wrong('update_task', { task_id: await w.task(), status: 'review' })],
  ['the stage of Colibri', async (w) => wrong('update_task', { task_id: await w.task(), status: 'VERIFY' })],
  ['pending tasks', (w) => wrong('list_tasks', { project_id: w.project_id, status: 'pending' })],
  ['a status of nothing', (w) => wrong('list_tasks', listed(w, 'shipped'), listed(w, 'done'))],
  ['an executor in lower case', async (w) => start(w, { executor: 'shell' })],
  ['an unknown executor', async (w) => start(w, { executor: 'BASH' }, { executor: 'SHELL' })],
  ['an executor that is not installed', async (w) => start(w, { executor: 'CODEX' }, { executor: 'SHELL' })],
  ['no executor', async (w) => start(w, {}, { executor: 'SHELL' })],
  ['agent for executor', async (w) => start(w, { agent: 'SHELL' }, { executor: 'SHELL' })],
  ['an unknown variant', async (w) => start(w, { executor: 'SHELL', variant: 'FAST' }, { executor: 'SHELL' })],
  ['a null variant', async (w) => start(w, { executor: 'SHELL', variant: null })],
  ['master for main', async (w) => start(w, branch(w, 'master'), branch(w, 'main'))],
  [
    'a branch outside of repos',
    async (w) => start(w, { executor: 'SHELL', target_branch: 'main' }, { executor: 'SHELL' }),
  ],
  ['a timeout as text', async (w) => start(w, { executor: 'SHELL', timeout_secs: '60' })],
  ['a limit as text', (w) => wrong('list_tasks', { project_id: w.project_id, limit: '5' })],
  ['a limit of nothing', (w) => wrong('list_tasks', { project_id: w.project_id, limit: 0 }, { ...of(w) })],
  ['a negative cursor', (w) => wrong('list_tasks', { project_id: w.project_id, cursor: -1 }, { ...of(w) })],
  ['a wait as text', (w) => wrong('get_attempt_status', { attempt_id: w.attempt_id, wait_ms: '50' })],
  ['true as text', (w) => wrong('get_attempt_changes', { attempt_id: w.attempt_id, detail: 'True' })],
  ['yes for true', (w) => changes(w, { detail: 'yes' }, { detail: true })],
  ['an option that is not there', (w) => changes(w, { verbose: true }, {})],
  ['one path', (w) => patch(w, { paths: 'web/new.txt' })],
  ['paths as text', (w) => patch(w, { paths: '["web/new.txt"]' })],
  ['path for paths', (w) => patch(w, { path: 'web/new.txt' }, { paths: ['web/new.txt'] })],
  ['no paths', (w) => patch(w, {}, { paths: ['web/new.txt'] })],
  ['no path of a file', (w) => file(w, {}, { path: 'web/new.txt' })],
  ['a path without its repository', (w) => file(w, { path: 'new.txt' }, { path: 'web/new.txt' })],
  ['a path from the root', (w) => file(w, { path: '/web/new.txt' }, { path: 'web/new.txt' })],
  ['a misspelt path', (w) => file(w, { path: 'web/neu.txt' }, { path: 'web/new.txt' })],
  ['file for path', (w) => file(w, { file: 'web/new.txt' }, { path: 'web/new.txt' })],
  ['an action in capitals', (w) => send(w, { action: 'SEND', prompt: 'echo two words' })],
  ['message for prompt', (w) => send(w, { action: 'send', message: 'echo my words' }, mine('send'))],
  ['an unknown action', (w) => send(w, { action: 'message', prompt: 'echo my words' }, mine('send'))],
  ['no action', (w) => send(w, { prompt: 'echo my words' }, mine('send'))],
  ['no prompt', (w) => send(w, { action: 'send' }, mine('send'))],
  [
    'a stop by follow_up',
    (w) => instead('follow_up', { attempt_id: w.attempt_id, action: 'stop' }, 'stop_attempt', attempt(w)),
  ],
  ['a strategy in capitals', (w) => merge(w, { strategy: 'Squash' })],
  ['fast-forward', (w) => merge(w, { strategy: 'fast-forward' }, { strategy: 'ff' })],
  ['an unknown strategy', (w) => merge(w, { strategy: 'octopus' }, { strategy: 'merge' })],
  ['dry_run as text', (w) => merge(w, { dry_run: 'true' })],
  ['dryRun', (w) => merge(w, { dryRun: true }, {})],
  ['a channel in capitals', (w) => logs(w, { channel: 'RAW' })],
  ['an unknown channel', (w) => logs(w, { channel: 'stdout' }, { channel: 'raw' })],
  ['two ways to page', (w) => logs(w, { cursor: 1, after_entry_index: 0 }, { cursor: 1 })],
  ['no title', (w) => create(w, { description: 'some words' }, { title: 'My words' })],
  ['name for title', (w) => create(w, { name: 'My words' }, { title: 'My words' })],
  ['an empty title', (w) => create(w, { title: ' ' }, { title: 'My words' })],
  ['null for what is optional', (w) => create(w, { title: 'My words', description: null, executor: null })],
  ['a branch without executor', (w) => create(w, { title: 'My words', target_branch: 'main' }, { title: 'My words' })],
  ['an unknown executor at once', (w) => create(w, { title: 'My words', executor: 'SHEL' }, started)],
  ['a wrapped call', (w) => wrong('get_task', { input: { task_id: w.task_id } }, { task_id: w.task_id })],
  ['get_tasks', (w) => instead('get_tasks', of(w), 'list_tasks', of(w))],
  ['mcp__taskyard__list_projects', () => instead('mcp__taskyard__list_projects', {}, 'list_projects', {})],
  ['listRepos', (w) => instead('listRepos', of(w), 'list_repos', of(w))],
  ['get_attempt_logs', (w) => instead('get_attempt_logs', attempt(w), 'tail_attempt_logs', attempt(w))],
  ['merge', async (w) => unknownMerge(await w.ownWork('merge.txt'))],
  ['get_attempt', (w) => instead('get_attempt', attempt(w), 'get_attempt_status', attempt(w))],
  ['a tool of nothing', (w) => instead('frobnicate', {}, 'get_attempt_status', attempt(w))],
];

type Values = Record<string, unknown>;
const of = ({ project_id }: World) => ({ project_id });
const attempt = ({ attempt_id }: World) => ({ attempt_id });
const listed = ({ project_id }: World, status: string) => ({ project_id, status });
const branch = ({ repo_id }: World, target_branch: string) => ({
  executor: 'SHELL',
  repos: [{ repo_id, target_branch }],
});
const mine = (action: string) => ({ action, prompt: 'echo my words' });
const started = { title: 'My words', executor: 'SHELL' };

/** A call that holds what is right besides. */
const given = (tool: string, known: Values, more: Values, right: Values = more) =>
  wrong(tool, { ...known, ...more }, { ...known, ...right });
const changes = (w: World, more: Values, right?: Values) => given('get_attempt_changes', attempt(w), more, right);
const patch = (w: World, more: Values, right?: Values) => given('get_attempt_patch', attempt(w), more, right);
const file = (w: World, more: Values, right?: Values) => given('get_attempt_file', attempt(w), more, right);
const logs = (w: World, more: Values, right?: Values) => given('tail_attempt_logs', attempt(w), more, right);
const create = (w: World, more: Values, right?: Values) => given('create_task', of(w), more, right);
const merge = (w: World, more: Values, right?: Values) =>
  given('merge_attempt', { ...attempt(w), dry_run: true }, more, right);
const start = async (w: World, more: Values, right?: Values) =>
  given('start_task_attempt', { task_id: await w.task(), prompt: 'echo my words' }, more, right);
const send = async (w: World, more: Values, right?: Values) =>
  given('follow_up', { attempt_id: await w.atRest() }, more, right);
const unknownMerge = (attempt_id: string) => instead('merge', { attempt_id }, 'merge_attempt', { attempt_id });
