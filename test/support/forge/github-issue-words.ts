import type { Answer, ForgeCall, ForgeWorld } from './forge-call.js';
import type { ForgeRepository } from './forge-repository.js';

export interface TestIssue {
  title: string;
  body?: string;
  labels?: string[];
  assignee?: string;
  closed?: 'completed' | 'not_planned';
}

const AT = '2026-01-02T10:00:00Z';
const user = (login: string): object => ({ login, id: 1, type: 'User' });

/** As GitHub lists issues: those of the asked state, pull requests among them. */
export function listIssues(world: ForgeWorld, repository: ForgeRepository, { query }: ForgeCall): Answer {
  const state = query.get('state') ?? 'open';
  const url = (kind: string, number: number) => `${world.url}/${repository.full_name}/${kind}/${number}`;
  const issues = repository.issues.map(({ title, body, labels = [], assignee, closed }, index) => ({
    number: 100 + index,
    title,
    body: body ?? null,
    html_url: url('issues', 100 + index),
    labels: labels.map((name) => ({ id: 1, name, color: 'ededed' })),
    assignee: assignee === undefined ? null : user(assignee),
    state: closed ? 'closed' : 'open',
    state_reason: closed ?? null,
    created_at: AT,
    updated_at: AT,
    closed_at: closed ? AT : null,
  }));
  const pulls = repository.pulls.map(({ number, title }) => ({
    number,
    title,
    body: null,
    html_url: url('pull', number),
    labels: [],
    assignee: null,
    state: 'open',
    pull_request: { html_url: url('pull', number) },
  }));
  return { status: 200, items: [...pulls, ...issues].filter((one) => state === 'all' || one.state === state) };
}
