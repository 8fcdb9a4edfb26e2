import { randomUUID } from 'node:crypto';
import { DocumentedRest } from './documented-rest.js';
import type { GitRepository } from './git-repository.js';
import type { Json } from './mcp-client.js';
import { TestServer } from './server.js';

interface Project {
  project_id: string;
  repo_id: string;
  repository: GitRepository;
}

/** A server, its documented REST interface, and the records a test begins with, all made over REST. */
export class RestBoard {
  private constructor(
    readonly server: TestServer,
    readonly rest: DocumentedRest,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<RestBoard> {
    return RestBoard.on(await TestServer.start(settings));
  }

  /** @param headers sent with every call */
  static async on(server: TestServer, headers: Record<string, string> = {}): Promise<RestBoard> {
    return new RestBoard(server, await DocumentedRest.of(server.url, headers));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  repository(files?: Record<string, string | Buffer>): GitRepository {
    return this.server.repositories.repository(`web-${randomUUID()}`, files);
  }

  /** A project with one repository `web` of one commit on main. */
  async project(fields: Json = {}): Promise<Project> {
    const repository = this.repository(fields.files as Record<string, string>);
    const { files, setup_script, ...rest } = fields;
    const project = await this.rest.does(201, 'POST', '/api/projects', {
      body: { name: 'Web shop', repos: [{ path: repository.dir, name: 'web', setup_script }], ...rest },
    });
    const { repos } = await this.rest.does(200, 'GET', `/api/projects/${project.project_id}/repos`);
    return { project_id: project.project_id as string, repository, repo_id: repos[0].repo_id as string };
  }

  async task(project_id: string, script = 'echo hello', title = 'Say hello'): Promise<Json> {
    return this.rest.does(201, 'POST', `/api/projects/${project_id}/tasks`, { body: { title, description: script } });
  }

  /** Runs the script as a SHELL attempt of a new task. */
  async attempt(project_id: string, script = 'echo hello'): Promise<Json> {
    const { task_id } = await this.task(project_id, script);
    return this.rest.does(201, 'POST', `/api/tasks/${task_id}/attempts`, { body: { executor: 'SHELL' } });
  }

  /** The same, once the script has run to its end. */
  async endedAttempt(project_id: string, script = 'echo hello'): Promise<Json> {
    const attempt = await this.attempt(project_id, script);
    return { ...attempt, ...(await this.untilEnded(attempt.attempt_id as string)) };
  }

  async untilEnded(attempt_id: string): Promise<Json> {
    for (;;) {
      const status = await this.rest.does(200, 'GET', `/api/attempts/${attempt_id}?wait_ms=20000`);
      if (status.state !== 'running') return status;
    }
  }
}

/** An id of nothing. */
export const nowhere = '0198c0de-0000-7000-8000-00000000dead';
