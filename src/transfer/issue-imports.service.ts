import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ForgesService } from '../forges/forges.service.js';
import type { ForgeIssue } from '../forges/github/github-issues.js';
import type { Principal } from '../platform/access/principal.js';
import type { Stage } from '../tasks/task-stage.js';
import { ImportsService } from './imports.service.js';
import type { ImportIssuesInput, ImportOutput } from './transfer.dto.js';

const SYSTEM = 'github';
const TITLE_CHARACTERS = 500;
const STAGES: Readonly<Record<ForgeIssue['state'], Stage>> = { open: 'INIT', done: 'DONE', not_planned: 'CANCELLED' };

/** Takes issues of a forge in as task lines: what holds for those holds for them. */
@Injectable()
export class IssueImports {
  constructor(
    private readonly forges: ForgesService,
    private readonly imports: ImportsService,
  ) {}

  /** @throws AppError forge_unconfigured, forge_repository_not_found, forge_failed, forge_rate_limited,
   *  forge_auth_failed, and as ImportsService.importTasks */
  async importIssues({ repository, host, ...input }: ImportIssuesInput, principal: Principal): Promise<ImportOutput> {
    const body = () => {
      const found = this.forges.issuesOnGithub(repository, host);
      const place = found.host === 'github.com' ? repository : `${found.host}/${repository}`;
      return Readable.from(linesOf(found.issues, place.toLowerCase()));
    };
    return this.imports.importTasks(body, input, principal);
  }
}

async function* linesOf(issues: AsyncIterable<ForgeIssue>, place: string): AsyncGenerator<string> {
  for await (const issue of issues) yield `${JSON.stringify(taskLine(issue, place))}\n`;
}

const taskLine = (issue: ForgeIssue, place: string): object => ({
  kind: 'task',
  system: SYSTEM,
  external_id: `${place}#${issue.number}`,
  title: issue.title.trim().slice(0, TITLE_CHARACTERS) || `Issue ${issue.number}`,
  description: [issue.body, issue.url].filter((text) => text !== null).join('\n\n'),
  stage: STAGES[issue.state],
  assignee: issue.assignee,
  tags: issue.labels,
  created_at: issue.created_at.toISOString(),
  updated_at: issue.updated_at.toISOString(),
  completed_at: issue.state === 'done' ? issue.closed_at?.toISOString() : null,
});
