import { textOf } from './diff-records.js';

export const conflictKinds = [
  'content',
  'add_add',
  'binary',
  'modify_delete',
  'delete_modify',
  'rename_rename',
  'rename_delete',
  'rename_collision',
  'file_directory',
  'type_change',
  'directory_rename',
  'submodule',
  'lfs',
] as const;
export type ConflictKind = (typeof conflictKinds)[number];
export const sideChanges = ['modified', 'deleted', 'added', 'renamed'] as const;
export type SideChange = (typeof sideChanges)[number];

/** `ours` is the side that git was given first. */
export interface Conflict {
  path: string;
  kind: ConflictKind;
  other_paths: string[];
  ours: SideChange;
  theirs: SideChange;
  /** What git says, if the kind alone does not tell what to do. */
  reason: string | null;
}

/** Modes of one path in the index by stage: 1 is the base, 2 ours, 3 theirs. */
type Stages = Readonly<Partial<Record<1 | 2 | 3, string>>>;
/** By path, as a byte string. */
export type StagedPaths = ReadonlyMap<string, Stages>;

/** One message of `merge-tree --messages`. Its type is a stable word of git, its text is not. */
export interface MergeMessage {
  paths: string[];
  type: string;
  text: string;
}

const SUBMODULE_MODE = '160000';
/** The first that matches decides; git itself writes two of them without the space. */
const TYPES: readonly [RegExp, ConflictKind][] = [
  [/^CONFLICT ?\(binary\)/, 'binary'],
  [/^CONFLICT ?\(modify\/delete\)/, 'modify_delete'],
  [/^CONFLICT ?\(rename\/rename\)/, 'rename_rename'],
  [/^CONFLICT ?\(rename\/delete\)/, 'rename_delete'],
  [/^CONFLICT ?\(rename involved in collision\)/, 'rename_collision'],
  [/^CONFLICT ?\(file\/directory\)/, 'file_directory'],
  [/^CONFLICT ?\(distinct (modes|types)\)/, 'type_change'],
  [/^CONFLICT ?\(.*directory rename/, 'directory_rename'],
  [/^CONFLICT ?\(submodule/, 'submodule'],
  [/^CONFLICT/, 'content'],
];
/** Of several kinds that git reports for one path, the most specific wins. */
const WEIGHTS = new Map(TYPES.map(([, kind], at) => [kind, at]));

/** Records of `ls-files -u -z` and of `merge-tree -z`: `<mode> <id> <stage> TAB path`, by path. */
export function stagesOf(records: readonly string[]): StagedPaths {
  const paths = new Map<string, Stages>();
  for (const record of records) {
    const [, mode, stage, path] = /^(\d+) [0-9a-f]+ ([123])\t([^]+)$/.exec(record) ?? [];
    if (mode && stage && path) paths.set(path, { ...paths.get(path), [Number(stage)]: mode });
  }
  return paths;
}

/** Every conflict once: paths that git names in one message are one conflict. */
export function conflictsOf(staged: StagedPaths, messages: readonly MergeMessage[]): Conflict[] {
  const found = new Map<string, Conflict>();
  for (const message of messages) {
    const kind = TYPES.find(([type]) => type.test(message.type))?.[1];
    const [path, ...others] = message.paths;
    if (kind === undefined || path === undefined) continue;
    const earlier = found.get(path);
    if (earlier && WEIGHTS.get(earlier.kind)! <= WEIGHTS.get(kind)!) continue;
    const reason = kind === 'submodule' || kind === 'directory_rename' ? message.text.trim() : null;
    found.set(path, conflict(path, others, kind, staged, reason));
  }
  const covered = new Set(messages.flatMap(({ type, paths }) => (type.startsWith('CONFLICT') ? paths : [])));
  for (const path of staged.keys())
    if (!covered.has(path)) found.set(path, conflict(path, [], 'content', staged, null));
  return [...found.values()];
}

function conflict(
  path: string,
  others: string[],
  kind: ConflictKind,
  staged: StagedPaths,
  reason: string | null,
): Conflict {
  const stages = [path, ...others].map((name) => staged.get(name) ?? {});
  const [ours, theirs] = [changeOf(stages, 2), changeOf(stages, 3)];
  return {
    path: textOf(path),
    kind: refined(kind, stages[0]!, ours, theirs),
    other_paths: others.map(textOf),
    ours,
    theirs,
    reason,
  };
}

/** Git uses one word for several kinds, and in an index only stages. */
function refined(kind: ConflictKind, stages: Stages, ours: SideChange, theirs: SideChange): ConflictKind {
  if (kind !== 'content' && kind !== 'modify_delete') return kind;
  if (Object.values(stages).includes(SUBMODULE_MODE)) return 'submodule';
  if (ours === 'deleted') return 'modify_delete';
  if (theirs === 'deleted') return 'delete_modify';
  return ours === 'added' && theirs === 'added' ? 'add_add' : kind;
}

function changeOf(stages: readonly Stages[], side: 2 | 3): SideChange {
  const had = stages.find((one) => one[1] !== undefined);
  const has = stages.filter((one) => one[side] !== undefined);
  if (had === undefined) return has.length === 0 ? 'modified' : 'added';
  if (has.length === 0) return 'deleted';
  return has.includes(had) ? 'modified' : 'renamed';
}
