import type { ErrorDetails } from '../platform/errors/app-error.js';
import type { WordedOutput, Wording } from '../platform/errors/wording.js';
import type { ArtifactBlock, Changes, FileSlice, Patch } from '../workspaces/artifact-host.js';

/** A template of a hint, and its facts. */
type Hint = [template: string, facts?: ErrorDetails] | null;

/** The same answer with what to do about what it withholds, in the words of whoever asks. */
export function worded<T extends { attempt_id: string }>(answer: T, hint: Hint, wording: Wording): T & WordedOutput {
  if (hint === null) return { ...answer, hint: null };
  const [template, facts] = hint;
  return { ...answer, ...wording(template, { attempt_id: answer.attempt_id, ...facts }) };
}

const OUTSIDE =
  'Use a path that starts with the repository name and stays inside it; {next:get_attempt_changes} lists valid ones.';

const blockedChanges: Record<NonNullable<Changes['blocked_reason']>, string> = {
  path_outside_workspace: OUTSIDE,
  threshold_exceeded:
    'The change exceeds the diff guard. Call {next:get_attempt_changes path} with one of folders as path, or with ' +
    'force=true, or ask {op:get_attempt_patch} for a few paths with force=true.',
  summary_failed:
    'The summary could not be computed. Call {next:get_attempt_changes path} with one of folders as path, or with ' +
    'force=true, or read single files with {op:get_attempt_file}.',
};

export function changesHint({ blocked_reason, folders, nearest, next_cursor }: Changes): Hint {
  if (blocked_reason !== null) return [blockedChanges[blocked_reason], { path: largestOf(folders) }];
  if (next_cursor !== null)
    return [`The list was cut: continue with {next:get_attempt_changes cursor=${next_cursor}}.`];
  if (nearest === null) return null;
  const template =
    'Nothing has changed there; the nearest changed path is {path}. Call {next:get_attempt_changes path}.';
  return [template, { path: nearest, cursor: undefined }];
}

const largestOf = (folders: Changes['folders']): string | undefined =>
  [...folders].sort((a, b) => b.file_count - a.file_count)[0]?.path;

const blockedPatch: Partial<Record<ArtifactBlock, string>> = {
  path_outside_workspace: OUTSIDE,
  too_many_paths:
    'Narrow the request to at most 100 paths; a folder includes everything below it. {next:get_attempt_changes} ' +
    'lists them.',
  size_exceeded: 'Narrow the request: pass fewer paths, or lower max_bytes: {next:get_attempt_patch max_bytes=40960}.',
  threshold_exceeded:
    'The change exceeds the diff guard. Call again with force=true, or see with {next:get_attempt_changes} where it ' +
    'is.',
  summary_failed:
    'The summary could not be computed. Call again with force=true, or see with {next:get_attempt_changes} what ' +
    'there is.',
};

export function patchHint(patch: Patch, [first]: readonly string[]): Hint {
  const { blocked_reason, nearest, next_cursor, truncated } = patch;
  if (blocked_reason !== null) return [blockedPatch[blocked_reason]!, { cursor: undefined }];
  if (next_cursor !== null) return [CUT_PATCH.replace('CURSOR', String(next_cursor))];
  if (truncated) return [LONG_LINE, { path: first }];
  return nearest === null ? null : [UNCHANGED, { path: nearest, paths: [nearest] }];
}

const CUT_PATCH =
  'Continue with {next:get_attempt_patch cursor=CURSOR}, or request fewer paths. A path that exceeds the limit by ' +
  'itself is best read with {op:get_attempt_file}, page by page.';
const LONG_LINE = 'A line exceeds max_bytes. Pass a larger one, or read the file with {next:get_attempt_file path}.';
const UNCHANGED =
  'Paths in skipped_paths have no change; the nearest changed path is {path}. Call {next:get_attempt_patch paths}.';

const blockedFile: Partial<Record<ArtifactBlock, string>> = {
  path_outside_workspace: OUTSIDE,
  size_exceeded:
    'Narrow the request: lower max_bytes, and page with start. Call {next:get_attempt_file max_bytes=40960}.',
  not_a_file: 'Only regular files can be read; {next:get_attempt_changes} lists the changed ones.',
};

/** @param start that was asked for */
export function fileHint({ blocked_reason, next }: FileSlice, start: number): Hint {
  if (blocked_reason !== null) return [blockedFile[blocked_reason]!];
  if (next === null) return null;
  if (next.start_line === undefined) return [`Continue with {next:get_attempt_file start=${next.start}}.`];
  const again = start > 0 ? ' start=0' : '';
  return [`Continue with {next:get_attempt_file start_line=${next.start_line}${again}}.`];
}
