import { AppError } from '../platform/errors/app-error.js';
import { blockedSlice, readSlice } from './file-slice.js';
import { readTargetSlice } from './committed-file.js';
import { locateTrees } from './trees.js';
import type { FileRequest, FileSlice } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';
import { splitArtifactPath } from './workspace-paths.js';
import type { WorkspaceTools } from './workspace-tools.js';

/** A bounded part of one file, of a worktree or of the target branch.
 *  @throws AppError workspace_lost, workspace_not_ready, file_not_found */
export async function readFile(tools: WorkspaceTools, workspace: Workspace, request: FileRequest): Promise<FileSlice> {
  const path = splitArtifactPath(request.path);
  if (path === null) return blockedSlice(request, 'path_outside_workspace');
  const trees = await locateTrees(tools.git, tools.paths, workspace);
  const at = trees.findIndex(({ repo_name }) => repo_name === path.repo_name);
  const [tree, repo] = [trees[at], workspace.repos[at]];
  if (!tree || !repo) throw new AppError('file_not_found', { path: request.path });
  if (request.of !== 'target') return readSlice(tree.dir, path.inside, request);
  const place = { workspace, repo, tree, targets: tools.remotes.targetRefs(repo) };
  return readTargetSlice(tools.git, place, path.inside, request);
}
