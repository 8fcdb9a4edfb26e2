import type {
  ArtifactHost,
  Changes,
  ChangesRequest,
  DiffRequest,
  DiffSlice,
  FileRequest,
  FileSlice,
  FoundLinesRequest,
  LinesRequest,
  Mark,
  Patch,
  PatchRequest,
  ShownWork,
} from './artifact-host.js';
import { listChanges } from './changes.js';
import { DeliveringHost } from './delivering-host.js';
import { markOf } from './marks.js';
import { makePatch } from './patch.js';
import { readFile } from './read-file.js';
import { findLines, readLines, readSide } from './side-lines.js';
import { type View, viewOf } from './view.js';
import { readDiff } from './whole-diff.js';
import type { Workspace } from './workspace-paths.js';
import { onDisk, type WorkspaceTools } from './workspace-tools.js';

/** Shows what attempts have made. */
export abstract class ShowingHost extends DeliveringHost implements ArtifactHost {
  protected abstract readonly tools: WorkspaceTools;

  changes(workspace: Workspace, request: ChangesRequest): Promise<Changes> {
    return this.viewing(workspace, request, (view) => listChanges(this.tools, view, request));
  }

  file(workspace: Workspace, request: FileRequest): Promise<FileSlice> {
    const { side } = request;
    if (side === undefined) return readFile(this.tools, workspace, request);
    return this.viewing(workspace, request, (view) => readSide(this.tools.git, view, { ...request, side }));
  }

  patch(workspace: Workspace, request: PatchRequest): Promise<Patch> {
    return this.viewing(workspace, request, (view) => makePatch(this.tools, view, request));
  }

  diff(workspace: Workspace, request: DiffRequest): Promise<DiffSlice> {
    return this.viewing(workspace, request, (view) => readDiff(this.tools, view, request));
  }

  lines(workspace: Workspace, request: LinesRequest): Promise<string[]> {
    return this.viewing(workspace, request, (view) => readLines(this.tools.git, view, request));
  }

  findLines(workspace: Workspace, request: FoundLinesRequest): Promise<(number | null)[]> {
    return this.viewing(workspace, request, (view) => findLines(this.tools.git, view, request.quotes));
  }

  marks(workspace: Workspace): Promise<Mark[]> {
    return this.viewing(workspace, {}, ({ repos }) => Promise.all(repos.map(({ tree }) => markOf(this.tools, tree))));
  }

  private viewing<T>(workspace: Workspace, request: ShownWork, show: (view: View) => Promise<T>): Promise<T> {
    return onDisk(async () => show(await viewOf(this.tools, workspace, request)));
  }
}
