import { Inject, Injectable } from '@nestjs/common';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import type { Severity } from '../comments/comment.entity.js';
import type { Principal } from '../platform/access/principal.js';
import { refusal } from '../platform/fields/input-errors.js';
import { CommentPlaces, type Quoted } from '../review/comment-places.js';
import type { FileStat } from '../workspaces/artifact-host.js';
import { nearestPath } from '../workspaces/nearest-path.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { FindingFields } from './submit-review.dto.js';
import { NO_GUARD } from './review-brief.js';

/** A finding, and the line that it is about. */
export type PlacedFinding = Quoted & { text: string; severity: Severity };

/** Finds the lines that findings are about: of files that the attempt has changed. */
@Injectable()
export class FindingPlaces {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly places: CommentPlaces,
  ) {}

  /** @throws AppError invalid_argument for a path that is not in the diff, or a line that is not in the file;
   *  workspace_not_ready, workspace_lost */
  async read(attempt_id: string, findings: readonly FindingFields[], principal: Principal): Promise<PlacedFinding[]> {
    if (findings.length === 0) return [];
    const changed = await this.changed(attempt_id, principal);
    const ranges = findings.map(({ path, line }, at) => {
      const stat = changed.get(path);
      if (stat === undefined) throw notInDiff(at, path, [...changed.keys()]);
      return { path, line, side: stat.status === 'deleted' ? ('old' as const) : ('new' as const) };
    });
    const quoted = await this.places.readAll(attempt_id, ranges, principal);
    return quoted.map((place, at) => ({ ...place, severity: findings[at]!.severity, text: findings[at]!.text }));
  }

  private async changed(attempt_id: string, principal: Principal): Promise<Map<string, FileStat>> {
    const workspace = await this.workspaces.ready(attempt_id, principal);
    const found = new Map<string, FileStat>();
    for (let cursor: number | null = 0; cursor !== null;) {
      const page = await this.host.changes(workspace, { guard: NO_GUARD, force: true, cursor });
      for (const stat of page.file_stats) found.set(stat.path, stat);
      cursor = page.next_cursor;
    }
    return found;
  }
}

function notInDiff(at: number, path: string, paths: readonly string[]) {
  const nearest = nearestPath(path, paths);
  const instead = nearest === null ? '' : `; the nearest that is: ${nearest}`;
  return refusal([{ field: `findings.${at}.path`, message: `${path} is not in the diff${instead}` }]);
}
