import { beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedDocument } from '../support/accepted-file.js';
import { type RouteAttack, routeAttacks, type Target, toolAttacks } from '../support/attack-calls.js';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject, untilEnded } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import type { Json, McpClient } from '../support/mcp-client.js';

/** Stands in everything that belongs to the project. */
const SECRET = 'crown-jewels';
/** Who attacks, and the user that the attacker names. */
interface Attacker {
  headers: Record<string, string>;
  user_id: string;
}
const MALLORY: Attacker = { headers: { 'x-user-id': '@mallory' }, user_id: '@mallory' };
/** S16: may do everything, and act as a member of the project, but is bound to another project. */
const BRIDGE: Attacker = { headers: { 'x-user-id': 'ada' }, user_id: 'ada' };
const attackers: [string, Attacker][] = [
  ['who is no member', MALLORY],
  ['a token of another project that acts as a member', BRIDGE],
];
const BRIDGE_SCOPES = ['read', 'write', 'execute', 'approve', 'deliver', 'act_as'];

const ground = AttackGround.use({ SHELL_EXECUTOR: 'on' });
let target: Target;
let before: string;

/** A project of @ada with work of every kind: an ended attempt, a waiting request with a message
 *  behind it, a standing approval, a thought. */
beforeAll(async () => {
  const { kanban, rest } = ground;
  for (const handle of ['@ada', '@mallory'])
    await rest.does('POST', '/api/workers', {
      handle,
      name: handle,
      type: 'human',
      user_id: handle === '@ada' ? 'ada' : undefined,
    });
  const { project_id, repo_id } = await givenProject(ground.server, {
    name: SECRET,
    files: { 'readme.md': `${SECRET}\n` },
  });
  const ended = await givenEndedAttempt(kanban, project_id, `echo ${SECRET} | tee made.txt`);
  const approved = await asking(project_id, 'rule-key');
  await rest.does('POST', `/api/approvals/${approved.approval_id}/answer`, { decision: 'approve', always: true });
  await untilEnded(kanban, approved.attempt_id as string);
  const { rules } = await rest.does('GET', `/api/projects/${project_id}/approval-rules`);
  const waits = await asking(project_id, 'crown-key', `ask ${SECRET} again`);
  await kanban.call('follow_up', { session_id: waits.session_id, action: 'queue', prompt: SECRET });
  const { messages } = await rest.does('GET', `/api/sessions/${waits.session_id}/queue`);
  const said = { path: 'web/readme.md', side: 'old', line: 1, text: SECRET };
  const { comment_id } = await rest.does('POST', `/api/attempts/${ended.attempt_id}/comments`, said);
  const thought = { type: 'plan', agent_id: '@ada', content: SECRET };
  await rest.does('POST', `/api/tasks/${ended.task_id}/thought-records`, thought);
  await rest.does('POST', `/api/projects/${project_id}/members`, { handle: '@ada', role: 'owner' });
  const other = (await rest.does('POST', '/api/projects', { name: 'Other' })).project_id as string;
  const bridge = { name: 'bridge', scopes: BRIDGE_SCOPES, project_ids: [other] };
  BRIDGE.headers.authorization = `Bearer ${(await rest.does('POST', '/api/tokens', bridge)).token}`;
  const { token_id } = await rest.does('POST', '/api/tokens', { name: SECRET, scopes: ['read'] });
  const [ada] = await ground.query<{ id: string }>("SELECT id FROM workers WHERE handle = '@ada'");
  const { task_id, session_id, execution_process_id } = ended as Record<string, string>;
  const [due] = await ground.query<{ id: string }>(
    `INSERT INTO continuations (id, attempt_id, project_id, task_id, session_id, cause, cause_key, round, due_at, state,
       prompt, is_task_text, job_id)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 'repair', 'a cause', 1, now() + interval '1 day', 'due', $5, false,
       gen_random_uuid())
     RETURNING id`,
    [ended.attempt_id, project_id, task_id, session_id, SECRET],
  );
  const continuation_id = due!.id;
  target = {
    project_id,
    repo_id,
    task_id,
    id: task_id,
    attempt_id: ended.attempt_id,
    session_id,
    execution_process_id,
    approval_id: waits.approval_id,
    rule_id: (rules as Json[])[0]!.rule_id,
    message_id: (messages as Json[])[0]!.message_id,
    comment_id: comment_id as string,
    continuation_id,
    checks: [{ name: 'taken over', command: 'true' }],
    token_id: token_id as string,
    worker_id: ada!.id,
    assignee_id: ada!.id,
    key: 'crown-key',
    toolset: 'kanban',
    name: 'get_task',
    argument: 'target_branch',
    value: 'm',
    context: { project_id, repo_id },
  };
  before = await contents();
});

/** A new attempt that asks. */
async function asking(project_id: string, request_id: string, prompt = `ask ${SECRET}`): Promise<Json> {
  const { kanban, rest } = ground;
  const { task_id } = await kanban.call('create_task', { project_id, title: SECRET, description: SECRET });
  const start = { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt, request_id };
  const { attempt_id, session_id } = await kanban.call('start_task_attempt', start);
  const approval = await eventually('the request', async () => {
    const { approvals } = await rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`);
    return (approvals as Json[])[0];
  });
  return { attempt_id, session_id, approval_id: approval!.approval_id };
}

/** All that is stored of the project. */
async function contents(): Promise<string> {
  const tables = ['tasks', 'attempts', 'sessions', 'executions', 'approvals', 'review_comments', 'repos'];
  tables.push('project_members', 'approval_rules', 'audit_log');
  const sums = tables.map(
    (table) => `(SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${table} t
    WHERE project_id = '${String(target.project_id)}')`,
  );
  const [row] = await ground.query<Record<string, string>>(
    `SELECT concat_ws(' ', ${sums.join(', ')}, (SELECT md5(string_agg(p::text, ' ')) FROM projects p WHERE id =
       '${String(target.project_id)}'), (SELECT count(*) FROM thought_records), (SELECT count(*) FROM queued_messages)
     ) AS sums`,
  );
  return row!.sums!;
}

/** Names no record of the project, but reads what the caller may see of all of them. */
const isGlobal = ({ parameters }: RouteAttack): boolean =>
  !parameters.some((name) => name.endsWith('_id') || name === 'key');

const routes = routeAttacks(acceptedDocument());

describe('held', () => {
  describe.each(attackers)('held: every REST route, called by %s', (_, { headers, user_id }) => {
    beforeAll(async () => {
      const reads = routes.filter(
        ({ method, name }) => method === 'GET' && !/events|stream|pull-request|agent-state|\/pr\//.test(name),
      );
      for (const { path } of reads) await ground.rest.does('GET', path(target)); // who may read does
    });

    it.each(routes.map((route) => [route.name, route] as const))('%s', async (_name, route) => {
      const aimed = { ...target, user_id };
      const { status, body } = await ground.rest.send(route.method, route.path(aimed), route.body(aimed), headers);
      if (!isGlobal(route)) expect([403, 404]).toContain(status);
      expect(JSON.stringify(body)).not.toContain(SECRET);
      expect(await contents()).toBe(before);
    });
  });

  describe.each(attackers)('held: every tool, called by %s', (_, { headers, user_id }) => {
    const clients = new Map<string, McpClient>();
    beforeAll(async () => {
      for (const toolset of new Set(toolAttacks.map((attack) => attack.toolset))) {
        const place = toolset === 'kanban' ? '/mcp' : `/mcp/${toolset}`;
        clients.set(toolset, await ground.mcp(place, headers));
      }
    });

    it.each(toolAttacks.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
      const { toolset, tool } = attack;
      const args = attack.args({ ...target, user_id });
      const isBound = tool === 'get_context'; // listed only where an attempt is bound, which these cannot
      const bound = isBound ? `?attempt_id=${String(target.attempt_id)}` : '';
      const place = `/api/toolsets/${toolset}/tools/${tool}${bound}`;
      const text = JSON.stringify([
        isBound ? null : await clients.get(toolset)!.sdk.callTool({ name: tool, arguments: args }),
        (await ground.rest.send('POST', place, args, headers)).body,
      ]);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('"invalid_argument"'); // a call that means nothing attacks nothing
      expect(await contents()).toBe(before);
    });
  });

  it('every tool that the server lists, and every route that it documents, is among them', async () => {
    for (const toolset of new Set(toolAttacks.map((attack) => attack.toolset))) {
      const place = toolset === 'kanban' ? `/mcp?attempt_id=${String(target.attempt_id)}` : `/mcp/${toolset}`;
      const { tools } = await (await ground.mcp(place)).sdk.listTools();
      const attacked = toolAttacks.filter((attack) => attack.toolset === toolset).map(({ tool }) => tool);
      expect([...new Set(attacked)].sort()).toEqual(tools.map(({ name }) => name).sort());
    }
    const document = await ground.rest.does('GET', '/api/openapi.json');
    const paths = Object.keys(document.paths as Json).filter((path) => path.startsWith('/api/'));
    expect(new Set(routes.map(({ name }) => name.replace(/^\S+ | #\d+$/g, '')))).toEqual(new Set(paths));
  });
});
