import { Inject, Injectable } from '@nestjs/common';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import type { Comment } from '../comments/comment.entity.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { textBytes } from '../storage/storage-limits.service.js';
import type { DeliveredWork, Mark } from '../workspaces/artifact-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { splitArtifactPath } from '../workspaces/workspace-paths.js';
import type { CommentPlace, CreateCommentInput } from './comment.dto.js';
import { DeliveredSpans } from './delivered-spans.js';

const MAX_LINES = 200;
const MAX_LINES_BYTES = 64 * 1024;

/** What a comment is made on. */
type Range = Pick<CreateCommentInput, 'attempt_id' | 'path' | 'side' | 'line' | 'end_line'>;
type Place = Omit<Range, 'attempt_id'>;
export type Quoted = Pick<Comment, 'path' | 'side' | 'line' | 'end_line' | 'lines'>;

/** Looks up lines in the work of an attempt, as its changes show it. */
@Injectable()
export class CommentPlaces {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly delivered: DeliveredSpans,
  ) {}

  /** What stands there. @throws AppError attempt_not_found, file_not_found, invalid_argument, workspace_not_ready,
   *  workspace_lost */
  async read(range: Range, principal: Principal): Promise<Quoted> {
    const [quoted] = await this.readAll(range.attempt_id, [range], principal);
    return quoted!;
  }

  /** The same for several, of which none may be missing. */
  async readAll(attempt_id: string, ranges: readonly Place[], principal: Principal): Promise<Quoted[]> {
    const workspace = await this.workspaces.ready(attempt_id, principal);
    const delivered = await this.delivered.of(attempt_id);
    return Promise.all(ranges.map((range) => this.quote(workspace, range, delivered)));
  }

  private async quote(
    workspace: Workspace,
    { path, side, line, end_line = line }: Place,
    delivered: DeliveredWork[],
  ): Promise<Quoted> {
    if (end_line < line) throw refusal([{ field: 'end_line', message: 'end_line must not be less than line' }]);
    const found = await this.host.lines(workspace, { path, side, line, end_line, delivered });
    if (found.length <= end_line - line)
      throw refusal([{ field: 'end_line', message: `${path} ends before line ${end_line} on that side` }]);
    const lines = found.join('\n');
    if (found.length > MAX_LINES || textBytes(lines) > MAX_LINES_BYTES)
      throw refusal([{ field: 'end_line', message: `a comment is about at most ${MAX_LINES} lines, and 64 KiB` }]);
    const { repo_name, inside } = splitArtifactPath(path)!; // what has lines has one
    return { path: `${repo_name}/${inside}`, side, line, end_line, lines };
  }

  /** Where each is now, in order. */
  async find(attempt_id: string, comments: readonly Quoted[], principal: Principal): Promise<CommentPlace[]> {
    const found = comments.length === 0 ? [] : await this.findLines(attempt_id, comments, principal);
    return comments.map(({ line, end_line }, at) => {
      const now = found?.[at] ?? null;
      const moved = now === null ? 0 : now - line;
      return { line: line + moved, end_line: end_line + moved, outdated: found && now === null };
    });
  }

  /** Null while the work cannot be read: comments are there all the same. */
  private async findLines(
    attempt_id: string,
    comments: readonly Quoted[],
    principal: Principal,
  ): Promise<(number | null)[] | null> {
    const quotes = comments.map(({ path, side, line, lines }) => ({ path, side, line, lines }));
    return this.ifReadable(attempt_id, principal, async (workspace) =>
      this.host.findLines(workspace, { quotes, delivered: await this.delivered.of(attempt_id) }),
    );
  }

  /** What the worktrees hold now; null while they cannot be read. */
  mark(attempt_id: string, principal: Principal): Promise<Mark[] | null> {
    return this.ifReadable(attempt_id, principal, (workspace) => this.host.marks(workspace));
  }

  private async ifReadable<T>(
    attempt_id: string,
    principal: Principal,
    read: (workspace: Workspace) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await read(await this.workspaces.ready(attempt_id, principal));
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }
}
