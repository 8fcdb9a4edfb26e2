import type { InjectOptions } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { randomInt, randomUUID } from 'node:crypto';
import { RunTokensService } from '../../src/executions/run-tokens.service.js';
import { PROJECT_ROLES, type ProjectRole, type Scope, SCOPES } from '../../src/platform/access/scopes.js';
import type { Caller, Ids, Probe } from './access-matrix.js';
import { gate, givenAttempt, givenProject, untilEnded } from './board.js';
import { type Json, McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';
import type { InProcessServer } from './in-process-server.js';

/** The callers of the matrix, and the records that they ask for. */
export class AccessGround {
  ids!: Ids;
  readonly callers: Caller[] = [];
  /** Lets the run end; until then its token is valid. */
  endRun!: () => Promise<void>;
  private admin!: RestClient;
  private other!: string;

  constructor(
    private readonly server: InProcessServer,
    private readonly secret: string,
  ) {}

  async prepare(): Promise<void> {
    const authorization = `Bearer ${this.secret}`;
    this.admin = new RestClient(this.server.url, { authorization });
    const mine = await givenProject({ rest: this.admin, repositories: this.server.repositories });
    this.other = (await this.admin.does('POST', '/api/projects', { name: 'Other' })).project_id as string;
    const client = await McpClient.connect(`${this.server.url}/mcp`, { authorization });
    const { wait, open } = gate(this.server);
    const attempt = await givenAttempt(client, mine.project_id, wait);
    this.ids = { ...(attempt as Ids), project_id: mine.project_id, repo_id: mine.repo_id, approval_id: randomUUID() };
    await this.insertApproval();
    await this.addMembers(mine.project_id);
    await this.addCallers();
    this.endRun = async () => {
      open();
      await untilEnded(client, this.ids.attempt_id);
      await client.close();
    };
  }

  /** What the caller is answered. */
  async ask(probe: Probe, caller: Caller, ids: Ids): Promise<string> {
    const url = probe.url(ids, caller);
    const body = probe.body(ids, caller);
    const headers = { ...caller.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    if (probe.isStream) return this.firstOf(url, headers);
    const fastify: FastifyInstance = this.server.app.getHttpAdapter().getInstance();
    const { payload } = await fastify.inject({
      ...{ method: probe.method as InjectOptions['method'], url, headers },
      payload: body === undefined ? undefined : JSON.stringify(body),
      remoteAddress: `10.${randomInt(250)}.${randomInt(250)}.${randomInt(250)}`, // wrong tokens are counted by address
    });
    return payload;
  }

  /** A project with the same members and a task, to be taken away. */
  async disposable(): Promise<Ids> {
    const { project_id } = await this.admin.does('POST', '/api/projects', { name: 'Short-lived' });
    await this.server.query(
      `INSERT INTO project_members (project_id, worker_id, role, joined_at)
       SELECT $1, worker_id, role, joined_at FROM project_members WHERE project_id = $2`,
      [project_id, this.ids.project_id],
    );
    const { task_id } = await this.admin.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Short-lived' });
    return { ...this.ids, project_id: project_id as string, task_id: task_id as string };
  }

  private async firstOf(url: string, headers: Record<string, string>): Promise<string> {
    const response = await fetch(this.server.url + url, { headers });
    if (response.status !== 200) return response.text();
    await response.body?.cancel();
    return '';
  }

  private async addMembers(project_id: string): Promise<void> {
    for (const role of [...PROJECT_ROLES].reverse())
      await this.admin.does('POST', `/api/projects/${project_id}/members`, { user_id: `${role}-user`, role });
  }

  private async addCallers(): Promise<void> {
    const working: Scope[] = ['read', 'write', 'execute', 'approve', 'deliver'];
    const nobody = { scopes: null, role: null };
    const expired = await this.token({ scopes: SCOPES });
    const revoked = await this.token({ scopes: SCOPES });
    await this.server.query("UPDATE service_tokens SET expires_at = now() - interval '1 s' WHERE id = $1", [
      expired.id,
    ]);
    await this.admin.does('DELETE', `/api/tokens/${revoked.id}`);
    this.callers.push(
      { name: 'none', headers: {}, ...nobody },
      { name: 'wrong', headers: { authorization: 'Bearer wrong' }, ...nobody },
      { name: 'expired', headers: expired.headers, ...nobody },
      { name: 'revoked', headers: revoked.headers, ...nobody },
    );
    for (const role of PROJECT_ROLES) await this.add(role, working, role, { user_id: `${role}-user` });
    await this.add('outsider', working, null, { user_id: 'outsider-user' });
    await this.add('admin', SCOPES, 'owner');
    await this.add('other project', SCOPES, null, { project_ids: [this.other] });
    await this.add('act_as', ['read', 'write', 'act_as'], 'viewer', {}, 'viewer-user');
    await this.add('impostor', working, 'member', { user_id: 'member-user' }, 'owner-user');
    for (const scope of SCOPES) await this.add(`only ${scope}`, [scope], 'owner');
    const run = await this.server.app.get(RunTokensService).issue(this.ids.execution_process_id);
    const headers = { authorization: `Bearer ${run}` };
    this.callers.push({ name: 'run', headers, scopes: ['read', 'write', 'deliver'], role: 'owner', isRun: true });
  }

  /** @param as whom it names in X-User-Id */
  private async add(name: string, scopes: readonly Scope[], role: ProjectRole | null, grant: Json = {}, as?: string) {
    const { headers } = await this.token({ ...grant, scopes });
    const isImpostor = as !== undefined && !scopes.includes('act_as');
    const user_id = as ?? (grant.user_id as string | undefined);
    this.callers.push({
      ...{ name, scopes, role, isImpostor, headers: as === undefined ? headers : { ...headers, 'x-user-id': as } },
      ...(user_id === undefined ? {} : { user_id }),
    });
  }

  private async token(grant: object): Promise<{ id: string; headers: Record<string, string> }> {
    const { token_id, token } = await this.admin.answers(201, 'POST', '/api/tokens', { name: 'caller', ...grant });
    return { id: token_id as string, headers: { authorization: `Bearer ${String(token)}` } };
  }

  private async insertApproval(): Promise<void> {
    await this.server.query(
      `INSERT INTO approvals (
         id, execution_id, attempt_id, task_id, project_id, tool_name, summary, input, status, created_at, timeout_at
       )
       SELECT $1, id, attempt_id, task_id, project_id, 'shell', 'ls', '{}', 'pending', now(), now() + interval '1 day'
       FROM executions WHERE id = $2`,
      [this.ids.approval_id, this.ids.execution_process_id],
    );
  }
}
