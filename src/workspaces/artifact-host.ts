import type { LineRange } from './line-window.js';
import type { Workspace } from './workspace-paths.js';

/** Limits of one answer; beyond any of them the answer is blocked unless forced. */
export interface DiffGuard {
  max_files: number;
  max_lines: number;
  max_bytes: number;
}

/** Absolute caps, even with force. */
export const maxListed = 5_000;
export const maxFileBytes = 524_288;
export const maxPatchBytes = 2_097_152;
export const maxPatchPaths = 100;

export interface ChangesSummary {
  file_count: number;
  added: number;
  deleted: number;
  total_bytes: number;
}
export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type_changed' | 'untracked';
export interface FileStat {
  path: string;
  old_path: string | null;
  status: ChangeStatus;
  added: number;
  deleted: number;
  is_binary: boolean;
  bytes: number;
  /** Of the new side, where it was asked for; null for what is gone. */
  content_hash: string | null;
}

/** With all changes below it. */
export interface ChangedFolder {
  /** `<repo_name>/<path>`. */
  path: string;
  file_count: number;
  added: number;
  deleted: number;
}

/** What was delivered of one repository. */
export interface DeliveredWork {
  repo_name: string;
  /** Commits between which the delivered work lies. */
  from: string;
  to: string;
  /** Tip of the branch after the delivery; what differs from it is new work. */
  head: string;
}

/** A commit of all that the worktree of a repository held at some time, committed or not. */
export interface Mark {
  repo_name: string;
  commit: string;
  /** Of its files, the same as long as these are; left out of marks that were kept before there was one. */
  tree?: string;
}

interface Viewed {
  /** The work of the worktrees, or what was delivered, where there is nothing else. */
  of: 'work' | 'delivered';
  /** Where a requested path has no change: the changed path most like it. */
  nearest: string | null;
  /** Continues what was cut. */
  next_cursor: number | null;
}

export interface Changes extends Viewed {
  /** Of all files, or of those below the requested path. */
  summary: ChangesSummary;
  blocked: boolean;
  blocked_reason: 'summary_failed' | 'threshold_exceeded' | 'path_outside_workspace' | null;
  /** `<repo_name>/<path>`, sorted, at most `maxListed`. */
  files: string[];
  file_stats: FileStat[];
  /** Where the changes are, if blocked. */
  folders: ChangedFolder[];
  /** The list was cut. */
  truncated: boolean;
}

/** What is shown of an attempt. */
export interface ShownWork {
  delivered?: DeliveredWork[];
  /** Only what has changed since, of the work; a mark that is not here any more counts as none. */
  since?: Mark[];
  /** As committed, whatever the files are by now; a commit that is not here counts as none. */
  at?: readonly CommittedWork[];
}

export interface ChangesRequest extends ShownWork {
  guard: DiffGuard;
  force: boolean;
  hashes?: boolean;
  /** `<repo_name>/<path>`: only what lies below it, which no guard holds back. */
  path?: string;
  /** Files to skip. */
  cursor?: number;
  /** Of the listed paths. */
  max_bytes?: number;
}

export interface CommittedWork {
  repo_name: string;
  head: string;
}

export interface PatchRequest extends ShownWork, Pick<ChangesRequest, 'guard' | 'force' | 'hashes'> {
  paths: string[];
  max_bytes: number;
  /** Bytes to skip. */
  cursor?: number;
  /** Unchanged lines around each change. */
  context_lines?: number;
  /** Lines that differ in white space alone count as the same. */
  ignore_whitespace?: boolean;
}

export type ArtifactBlock =
  | 'path_outside_workspace'
  | 'size_exceeded'
  | 'too_many_paths'
  | 'not_a_file'
  | 'threshold_exceeded'
  | 'summary_failed';

export interface FileSlice {
  path: string;
  blocked: boolean;
  blocked_reason: ArtifactBlock | null;
  /** More of the file follows, from `start + bytes`. */
  truncated: boolean;
  /** Start of the slice, moved to the next character boundary. */
  start: number;
  /** Bytes of this slice; cut at a character boundary. */
  bytes: number;
  total_bytes: number | null;
  /** Not UTF-8 text; the content is base64 then. */
  is_binary: boolean;
  encoding: 'utf8' | 'base64' | null;
  content: string | null;
  /** Where to go on: so many bytes behind the first one, or another line. */
  next: { start: number; start_line?: number } | null;
}

export interface FileRequest extends ShownWork {
  /** `<repo_name>/<path in the repository>`. */
  path: string;
  /** Counted from the first line that is asked for. */
  start: number;
  /** Default: what an answer holds well. */
  max_bytes?: number | undefined;
  lines?: LineRange | undefined;
  /** target: as the target branch holds it. Default: work. */
  of?: 'work' | 'target' | undefined;
  /** The file before the changes that are shown, or after them. */
  side?: 'old' | 'new';
}

export interface Patch extends Viewed {
  blocked: boolean;
  blocked_reason: ArtifactBlock | null;
  truncated: boolean;
  bytes: number;
  /** Requested paths that the patch covers. */
  paths: string[];
  /** Paths that name no repository of the attempt, have no change or are too large; if blocked for it, those that lead
   *  outside. */
  skipped_paths: string[];
  patch: string | null;
  /** Of the requested files, if hashes were requested; sorted, at most `maxListed`. */
  file_stats: FileStat[];
}

/** Two commits in the store of a repository. */
export interface DiffSpan {
  from: string;
  to: string;
}

export interface DiffRequest extends Pick<ChangesRequest, 'delivered'> {
  repo_name: string;
  /** Bytes to skip. */
  start: number;
  /** Of the slice before. Default: from the base to the work as it is now, or what was delivered. */
  span?: DiffSpan;
}

export interface DiffSlice {
  /** Null where the repository has nothing to show. */
  span: DiffSpan | null;
  /** Of the whole diff. */
  total_bytes: number;
  /** Base64, because a diff holds text of any encoding. */
  content: string;
}

/** A file before the changes or after them; a renamed one has a path for each. */
export interface SidePath {
  /** `<repo_name>/<path>`. */
  path: string;
  side: 'old' | 'new';
}

export interface LinesRequest extends SidePath {
  /** The first and the last one, counted from 1. */
  line: number;
  end_line: number;
  delivered?: DeliveredWork[];
}

/** Lines as they once were. */
export interface QuotedLines extends SidePath {
  line: number;
  /** Joined by line feeds. */
  lines: string;
}

export interface FoundLinesRequest {
  quotes: QuotedLines[];
  delivered?: DeliveredWork[];
}

/** The part of the port that shows what an attempt has made. */
export interface ArtifactHost {
  /** Committed, uncommitted and untracked changes since the base commits.
   *  @throws AppError workspace_lost, workspace_not_ready */
  changes(workspace: Workspace, request: ChangesRequest): Promise<Changes>;
  /** @throws AppError workspace_lost, workspace_not_ready, file_not_found */
  file(workspace: Workspace, request: FileRequest): Promise<FileSlice>;
  /** A folder means all below it. The guard looks at the whole attempt.
   *  @throws AppError workspace_lost, workspace_not_ready */
  patch(workspace: Workspace, request: PatchRequest): Promise<Patch>;
  /** A slice of the whole diff of a repository, as `git apply` takes it.
   *  @throws AppError workspace_lost, workspace_not_ready, diff_too_large, git_failed */
  diff(workspace: Workspace, request: DiffRequest): Promise<DiffSlice>;
  /** Marks what the worktrees hold now. @throws AppError workspace_lost, workspace_not_ready, git_failed */
  marks(workspace: Workspace): Promise<Mark[]>;
  /** Lines of one side of the changes; fewer where the file ends before.
   *  @throws AppError workspace_lost, workspace_not_ready; file_not_found, also for what is no text of at most
   *  `maxFileBytes` */
  lines(workspace: Workspace, request: LinesRequest): Promise<string[]>;
  /** Where quoted lines begin now, one answer for each; null where they have changed.
   *  @throws AppError workspace_lost, workspace_not_ready */
  findLines(workspace: Workspace, request: FoundLinesRequest): Promise<(number | null)[]>;
}
