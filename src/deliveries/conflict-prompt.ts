import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors/app-error.js';
import type { ConflictFile, ConflictReport } from '../workspaces/delivery-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

/** Tells an agent which conflicts are in its worktrees. Names are quoted, so that they cannot pass for words of the
 *  caller. */
@Injectable()
export class ConflictPrompt {
  constructor(@Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost) {}

  /** @throws AppError no_operation, workspace_lost */
  async make(workspace: Workspace): Promise<string> {
    const reports = (await this.host.standing(workspace)).flatMap(({ operation }) => operation?.report ?? []);
    if (reports.length === 0)
      throw new AppError('no_operation', { repo_name: workspace.repos.map((repo) => repo.repo_name).join(', ') });
    const parts = reports.map((report) =>
      instructions(report, this.host.repositoryDirectory(workspace, report.repo_name)),
    );
    return parts.join('\n\n');
  }
}

function instructions(
  { operation, source, target, step, files, finish, truncated }: ConflictReport,
  dir: string,
): string {
  const open = files.filter(({ resolved }) => !resolved);
  const [ours, theirs] = [source, target].map(({ branch }) => JSON.stringify(branch));
  const at = step ? ` at commit ${step.done} of ${step.total}` : '';
  return [
    `A ${operation} of ${theirs} into ${ours} has stopped${at} in ${dir}.`,
    `Resolve every conflict so that both sides keep what they meant: ours is ${ours}, theirs is ${theirs}. ` +
      'Remove all conflict markers.',
    ...open.map(line),
    ...(truncated ? ['- and more: see git status'] : []),
    ...(finish ? [`Then run in ${dir}: ${finish}`] : []),
  ].join('\n');
}

const WHOLE = '; it is a pointer of Git LFS: keep that of one side, whole';

function line({ path, kind, ours, theirs, other_paths, reason }: ConflictFile): string {
  const names = [path, ...other_paths].map((name) => JSON.stringify(name)).join(', ');
  const more = (kind === 'lfs' ? WHOLE : '') + (reason ? `; git says: ${JSON.stringify(reason)}` : '');
  return `- ${names}: ${kind} (ours ${ours}, theirs ${theirs})${more}`;
}
