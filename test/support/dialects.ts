import type { AuditFact } from '../../src/audit/audit.repository.js';
import { type Json, McpClient } from './mcp-client.js';
import { TestServer } from './server.js';

export interface AuditLine {
  action: string;
  actor: string;
  actor_type: string;
  actor_id: string | null;
  entity_type: AuditFact['entity_type'];
  details: Json;
}

/** Plain REST calls, on behalf of a user where one is named. */
export class UserRest {
  constructor(
    private readonly url: string,
    private readonly user_id?: string,
  ) {}

  async send(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
    const headers = {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(this.user_id ? { 'x-user-id': this.user_id } : {}),
    };
    const response = await fetch(`${this.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Json };
  }

  /** The body of a call that succeeds. */
  async does(method: string, path: string, body?: object): Promise<Json> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The refusal of a call: its status and its envelope. */
  async refused(method: string, path: string, body?: object): Promise<Json> {
    const answer = await this.send(method, path, body);
    if (answer.status < 400) throw new Error(`${method} ${path} succeeded: ${JSON.stringify(answer.body)}`);
    return { status: answer.status, ...answer.body };
  }
}

/** One server, the three dialects over MCP, and REST: what the tests of one board begin with. */
export class Dialects {
  readonly rest: UserRest;
  private readonly users: McpClient[] = [];

  private constructor(
    readonly server: TestServer,
    readonly kanban: McpClient,
    readonly taskflow: McpClient,
    readonly colibri: McpClient,
  ) {
    this.rest = new UserRest(server.url);
  }

  static async start(settings: Record<string, string> = {}): Promise<Dialects> {
    const server = await TestServer.start(settings);
    return new Dialects(
      server,
      await server.mcp(),
      await server.mcp('', '/mcp/taskflow'),
      await server.mcp('', '/mcp/colibri'),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.users.map((client) => client.close()));
    await this.server.stop();
  }

  /** REST on behalf of a user. */
  as(user_id: string): UserRest {
    return new UserRest(this.server.url, user_id);
  }

  /** MCP on behalf of a user. @param path for example `/mcp/colibri` */
  async mcpAs(user_id: string, path: string): Promise<McpClient> {
    const client = await McpClient.connect(`${this.server.url}${path}`, { 'x-user-id': user_id });
    this.users.push(client);
    return client;
  }

  /** A project of its owner; without one it is open to everybody. */
  async project(owner?: string, name = 'Web shop'): Promise<string> {
    return (await (owner ? this.as(owner) : this.rest).does('POST', '/api/projects', { name })).project_id as string;
  }

  async worker(handle: string, type: 'human' | 'agent' = 'agent', user_id?: string): Promise<string> {
    return (await this.rest.does('POST', '/api/workers', { handle, name: handle, type, user_id })).worker_id as string;
  }

  async member(project_id: string, handle: string, role: 'owner' | 'member' = 'member'): Promise<void> {
    await this.rest.does('POST', `/api/projects/${project_id}/members`, { handle, role });
  }

  async task(project_id: string, title = 'Add a health check'): Promise<string> {
    return (await this.kanban.call('create_task', { project_id, title })).task_id as string;
  }

  async read(task_id: string): Promise<Json> {
    return this.rest.does('GET', `/api/tasks/${task_id}`);
  }

  /** What was written down about a task, oldest first. */
  async audit(task_id: string): Promise<AuditLine[]> {
    const { entries } = await this.rest.does('GET', `/api/tasks/${task_id}/audit?limit=500`);
    return (entries as AuditLine[]).reverse();
  }

  /** How many audit rows there are in all. */
  async auditRows(): Promise<number> {
    return (await this.server.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_log'))[0].n;
  }
}
