import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import type { AuditFact } from '../../src/audit/audit.repository.js';
import type { ProjectRole } from '../../src/platform/access/scopes.js';
import { acceptedDocument } from './accepted-file.js';
import { ApiContract } from './api-contract.js';
import { givenAttempt, givenEndedAttempt, givenProject, type NewProject, type Project, untilEnded } from './board.js';
import type { GitRepository } from './git-repository.js';
import { type Json, McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';
import { TestServer } from './server.js';

export interface AuditLine {
  action: string;
  actor: string;
  actor_type: string;
  actor_id: string | null;
  entity_type: AuditFact['entity_type'];
  details: Json;
}

/** What most tests of a file begin with: a server, its REST interface held against the accepted document,
 *  the three dialects over MCP, and the records of a board. */
export class Board {
  server!: TestServer;
  rest!: RestClient;
  kanban!: McpClient;
  taskflow!: McpClient;
  colibri!: McpClient;
  private readonly users: McpClient[] = [];

  /** One board for all tests of the file, or of the `describe`, that asks for it. */
  static use<B extends Board>(this: new () => B, settings = {}): B {
    const board = new this();
    beforeAll(() => board.open(board.startServer(settings)));
    afterAll(() => board.stop());
    return board;
  }

  /** One board for all tests of the file, on the server of this worker, which other files use, too. */
  static share(): Board {
    const board = new Board();
    beforeAll(() => board.open(TestServer.join()));
    afterAll(() => board.stop());
    return board;
  }

  /** For a test that needs one of its own, which it stops. */
  static async start<B extends Board>(this: new () => B, settings = {}): Promise<B> {
    const board = new this();
    await board.open(board.startServer(settings));
    return board;
  }

  protected startServer(settings: Record<string, string>): Promise<TestServer> {
    return TestServer.start(settings);
  }

  private async open(server: Promise<TestServer>): Promise<void> {
    this.server = await server;
    this.rest = new RestClient(this.server.url, {}, new ApiContract(acceptedDocument()));
    this.kanban = await this.server.mcp();
    this.taskflow = await this.server.mcp('', '/mcp/taskflow');
    this.colibri = await this.server.mcp('', '/mcp/colibri');
  }

  async stop(): Promise<void> {
    await Promise.all(this.users.map((client) => client.close()));
    await this.server?.stop(); // undefined where the start failed
  }

  /** REST on behalf of a user. */
  as(user_id: string): RestClient {
    return this.rest.as(user_id);
  }

  /** MCP on behalf of a user. @param path for example `/mcp/colibri` */
  async mcpAs(user_id: string, path: string): Promise<McpClient> {
    const client = await McpClient.connect(`${this.server.url}${path}`, { 'x-user-id': user_id });
    this.users.push(client);
    return client;
  }

  repository(files?: Record<string, string | Buffer>): GitRepository {
    return this.server.repositories.repository(`web-${randomUUID()}`, files);
  }

  /** A project with one repository `web` of one commit on main. */
  project(fields?: NewProject): Promise<Project> {
    return givenProject(this.server, fields);
  }

  /** A project without repositories, of its owner; without one it is open to everybody. */
  async bareProject(owner?: string, name = 'Web shop'): Promise<string> {
    const rest = owner ? this.as(owner) : this.rest;
    return (await rest.does('POST', '/api/projects', { name })).project_id as string;
  }

  async worker(handle: string, type: 'human' | 'agent' = 'agent', user_id?: string): Promise<string> {
    return (await this.rest.does('POST', '/api/workers', { handle, name: handle, type, user_id })).worker_id as string;
  }

  async member(project_id: string, handle: string, role: ProjectRole = 'member'): Promise<void> {
    await this.rest.does('POST', `/api/projects/${project_id}/members`, { handle, role });
  }

  async task(project_id: string, title = 'Add a health check', description?: string): Promise<string> {
    return (await this.kanban.call('create_task', { project_id, title, description })).task_id as string;
  }

  /** Runs the script as a SHELL attempt of a new task. */
  attempt(project_id: string, script?: string): Promise<Json> {
    return givenAttempt(this.kanban, project_id, script);
  }

  /** The same, once the script has run to its end. */
  endedAttempt(project_id: string, script?: string, more: object = {}): Promise<Json> {
    return givenEndedAttempt(this.kanban, project_id, script, more);
  }

  untilEnded(attempt_id: string): Promise<Json> {
    return untilEnded(this.kanban, attempt_id);
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
    return (await this.server.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_log'))[0]!.n;
  }
}

/** An id of nothing. */
export const nowhere = '0198c0de-0000-7000-8000-00000000dead';
