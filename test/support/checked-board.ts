import { Board } from './board-fixture.js';
import type { NewProject, Project } from './board.js';
import type { Json } from './mcp-client.js';

/** A board whose projects have their work checked. */
export class CheckedBoard extends Board {
  /** A project that checks its one repository with these. */
  async checked(checks: object[], { policy = {}, ...more }: NewProject & { policy?: object } = {}): Promise<Project> {
    const project = await this.project(more);
    await this.rest.does('PUT', `/api/projects/${project.project_id}`, { checks: 'block', ...policy });
    await this.setChecks(project, checks);
    return project;
  }

  setChecks({ project_id, repo_id }: Pick<Project, 'project_id' | 'repo_id'>, checks: object[]): Promise<Json> {
    return this.rest.does('PUT', `/api/projects/${project_id}/repos/${repo_id}/checks`, { checks });
  }

  checksOf(attempt_id: string): Promise<Json> {
    return this.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
  }

  async runChecks(attempt_id: string, wait_ms = 20_000): Promise<Json> {
    return this.rest.does('POST', `/api/attempts/${attempt_id}/checks`, { wait_ms });
  }

  /** What it wrote. */
  async logOf(execution_process_id: string): Promise<string> {
    const rows = await this.server.query<{ text: string }>(
      `SELECT entry ->> 'content' AS text
       FROM log_chunks c, jsonb_array_elements(c.entries) entry
       WHERE c.execution_id = $1 AND c.channel = 'raw'
       ORDER BY c.last_index`,
      [execution_process_id],
    );
    return rows.map(({ text }) => text).join('\n');
  }
}
