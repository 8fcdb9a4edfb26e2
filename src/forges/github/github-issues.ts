import { AppError } from '../../platform/errors/app-error.js';
import { reposPath } from '../forge-address.js';
import type { ForgeClient } from '../forge-client.js';
import { type Json, linkOrNull, listOf, numberOrNull, objectOf, textOf, textOrNull, timeOf } from '../forge-json.js';

/** An issue as a forge has it; its texts are those of others. */
export interface ForgeIssue {
  number: number;
  url: string | null;
  title: string;
  body: string | null;
  labels: string[];
  assignee: string | null;
  /** not_planned: closed, because nobody will do it. */
  state: 'open' | 'done' | 'not_planned';
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

/** More than any repository has; a forge that names one more page for ever is left. */
const MAX_PAGES = 2_000;

/** All issues of a repository, oldest first, page by page. Pull requests, which GitHub lists among them, are left out.
 *  @throws AppError forge_repository_not_found, forge_failed, forge_rate_limited, forge_auth_failed */
export async function* githubIssues(client: ForgeClient, repository: string): AsyncGenerator<ForgeIssue> {
  let next: string | null = `${reposPath(repository)}/issues?state=all&sort=created&direction=asc&per_page=100`;
  for (let page = 0; next !== null; page += 1) {
    if (page === MAX_PAGES) throw client.failed(`it lists more than ${MAX_PAGES} pages`);
    const answer: Awaited<ReturnType<ForgeClient['send']>> = await client.send(next, { accept: [404, 410] });
    if (answer.status >= 400) throw new AppError('forge_repository_not_found', { host: client.host, repository });
    for (const issue of listOf(answer.body)) if (issue.pull_request === undefined) yield issueOf(issue, client);
    next = answer.next;
  }
}

function issueOf(issue: Json, client: ForgeClient): ForgeIssue {
  const number = numberOrNull(issue.number);
  if (number === null) throw client.failed('its answer lacks the number of an issue');
  const isOpen = issue.state !== 'closed';
  return {
    number,
    url: linkOrNull(issue.html_url),
    title: textOf(issue.title),
    body: textOrNull(issue.body),
    labels: listOf(issue.labels).map(({ name }) => textOf(name, 100)),
    assignee: textOrNull(objectOf(issue.assignee).login, 100),
    state: isOpen
      ? 'open'
      : issue.state_reason === 'not_planned' || issue.state_reason === 'duplicate'
        ? 'not_planned'
        : 'done',
    created_at: timeOf(issue.created_at),
    updated_at: timeOf(issue.updated_at),
    closed_at: isOpen ? null : timeOf(issue.closed_at),
  };
}
