import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { isCommit } from '../git/commit-id.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { RepoPosition } from './delivery-output.js';

/** The work that the caller has reviewed: one repository, at this commit, with this content. */
export interface Expected {
  expected_head?: string;
  expected_content?: string;
}

/** Refuses to deliver anything but what was reviewed. */
@Injectable()
export class ExpectedWork {
  constructor(@Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost) {}

  /** Before uncommitted work is committed, which moves the head. @throws AppError head_moved */
  async requireHead(workspace: Workspace, chosen: readonly AttemptRepo[], { expected_head }: Expected): Promise<void> {
    if (expected_head === undefined) return;
    const names = chosen.map(({ repo_name }) => repo_name);
    const repos = workspace.repos.filter(({ repo_name }) => names.includes(repo_name));
    for (const { repo_name, head } of await this.host.heads({ ...workspace, repos }))
      if (!isCommit(expected_head, head)) throw new AppError('head_moved', { repo_name, head });
  }
}

/** @param field that chooses among several repositories. @throws AppError invalid_argument */
export function requireOneRepo(expected: Expected, chosen: readonly AttemptRepo[], field: string): void {
  const given = (['expected_head', 'expected_content'] as const).filter((name) => expected[name] !== undefined);
  if (given.length === 0 || chosen.length === 1) return;
  throw refusal(given.map((name) => ({ field: name, message: `${name} goes with one repository; pass ${field}` })));
}

/** @returns head_moved, or null */
export const headMoved = ({ repo: { repo_name }, standing: { head } }: RepoPosition, { expected_head }: Expected) =>
  expected_head === undefined || isCommit(expected_head, head) ? null : new AppError('head_moved', { repo_name, head });

/** Committing the work does not change its content. @returns content_moved, or null */
export const contentMoved = (
  { repo: { repo_name }, standing: { content } }: RepoPosition,
  { expected_content }: Expected,
): AppError | null =>
  expected_content === undefined || (content !== null && isCommit(expected_content, content))
    ? null
    : new AppError('content_moved', { repo_name, content_hash: content });
