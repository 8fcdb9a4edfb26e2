import { Injectable } from '@nestjs/common';
import type { PullRequestComment } from '../forges/forge.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { PullRequestCommentRow, type PullRequestRow } from './pull-request.entity.js';

const COLUMNS = columnsOf(PullRequestCommentRow, 'c');

/** A comment, and the pull request it stands on. */
export type PlacedComment = PullRequestCommentRow &
  Pick<PullRequestRow, 'repo_id' | 'forge_host' | 'forge_repository' | 'pr_number'> & { pr_url: string };

@Injectable()
export class PullRequestCommentsRepository {
  constructor(private readonly database: Database) {}

  /** Each keeps its id; those that are gone on the forge go here too. */
  async replace(_tx: Transaction, pull_request_id: string, comments: readonly PullRequestComment[]): Promise<void> {
    const rows = comments.map((comment) => ({ id: newId(), ...comment }));
    await this.database.query(
      `WITH seen AS (
         SELECT id, forge_id, thread_id, author, trusted, path, line, hunk, body, url, resolved, outdated, created_at
         FROM jsonb_to_recordset($2::jsonb) AS s (
           id uuid, forge_id text, thread_id text, author text, trusted boolean, path text, line int, hunk text,
           body text, url text, resolved boolean, outdated boolean, created_at timestamptz
         )
       ), gone AS (
         DELETE FROM pull_request_comments
         WHERE pull_request_id = $1 AND forge_id NOT IN (SELECT forge_id FROM seen)
       )
       INSERT INTO pull_request_comments (
         id, pull_request_id, forge_id, thread_id, author, trusted, path, line, hunk, body, url, resolved, outdated,
         created_at
       )
       SELECT id, $1, forge_id, thread_id, author, trusted, path, line, hunk, body, url, resolved, outdated, created_at
       FROM seen
       ORDER BY created_at
       ON CONFLICT ON CONSTRAINT pull_request_comments_key DO UPDATE
       SET thread_id = excluded.thread_id, trusted = excluded.trusted, path = excluded.path, line = excluded.line,
         hunk = excluded.hunk, body = excluded.body, url = excluded.url, resolved = excluded.resolved,
         outdated = excluded.outdated`,
      [pull_request_id, JSON.stringify(rows)],
    );
  }

  /** In the order they were first seen. */
  async list(
    pull_request_ids: readonly string[],
    { only_unresolved, limit, cursor }: { only_unresolved: boolean; limit: number; cursor: number | undefined },
  ): Promise<Page<PullRequestCommentRow>> {
    const rows = await this.database.query<PullRequestCommentRow>(
      `SELECT ${COLUMNS}
       FROM pull_request_comments c
       WHERE c.pull_request_id = ANY($1) AND NOT ($2 AND c.resolved) AND ($3::bigint IS NULL OR c.number > $3)
       ORDER BY c.number
       LIMIT $4`,
      [pull_request_ids, only_unresolved, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** Of the pull requests of one attempt, in the order they were first seen. @throws AppError comment_not_found */
  async getAll(attempt_id: string, ids: readonly string[]): Promise<PlacedComment[]> {
    const comments = await this.listByIds(attempt_id, ids);
    const comment_id = ids.find((id) => !comments.some((one) => one.id === id));
    if (comment_id !== undefined) throw new AppError('comment_not_found', { attempt_id, comment_id });
    return comments;
  }

  private async listByIds(attempt_id: string, ids: readonly string[]): Promise<PlacedComment[]> {
    return this.database.query<PlacedComment>(
      `SELECT ${COLUMNS}, p.repo_id, p.forge_host, p.forge_repository, p.pr_number, p.url AS pr_url
       FROM pull_request_comments c
       JOIN pull_requests p ON p.id = c.pull_request_id
       WHERE p.attempt_id = $1 AND c.id = ANY($2)
       ORDER BY c.number`,
      [attempt_id, ids],
    );
  }

  async markResolved(_tx: Transaction, pull_request_id: string, thread_id: string): Promise<void> {
    await this.database.query(
      'UPDATE pull_request_comments SET resolved = true WHERE pull_request_id = $1 AND thread_id = $2',
      [pull_request_id, thread_id],
    );
  }
}
