import { attemptLines } from './attempt-lines.js';
import { grouped, type Line, refTo, SYSTEM, textOf, timesOf } from './line.js';
import type { Records, Repository } from './records.js';
import type { Value } from './source-database.js';

/** Where the server finds a repository. */
export type Place = { path: string } | { url: string };

type Attempt = Records['attempts'][number];
type Task = Records['tasks'][number];

/** A project with what lies in it. */
interface Board {
  id: string;
  name: string;
  times: object;
  repositories: (Repository & { place: Place | null })[];
  tasks: Task[];
  /** Workspaces that belong to no task. */
  loose: Attempt[];
}

/** What is imported, and what is not. */
export interface Imported {
  lines: Line[];
  /** Projects of which nothing is written, with those of their repositories that nobody has found. */
  missing: { project: string; paths: string[] }[];
  /** Workspaces that belong to no project. */
  homeless: number;
}

const TITLE_CHARACTERS = 500;
const STAGES: Record<string, string> = {
  todo: 'INIT',
  inprogress: 'GATHER',
  inreview: 'VERIFY',
  done: 'DONE',
  cancelled: 'CANCELLED',
};

/** Projects and repositories come first, and what is above before what is below it. */
export function linesOf(records: Records, placeOf: (path: string) => Promise<Place | null>): Promise<Imported> {
  return boardsOf(records, placeOf).then(({ boards, homeless }) => {
    const missing = boards.flatMap(({ name, repositories }) => {
      const paths = repositories.flatMap(({ place, path }) => (place === null ? [String(path)] : []));
      return paths.length > 0 ? [{ project: name, paths }] : [];
    });
    const found = boards.filter(({ repositories }) => repositories.every(({ place }) => place !== null));
    const below = attemptLines(records);
    const lines = [...found.flatMap(projectLines), ...found.flatMap((board) => taskLines(board, records, below))];
    return { lines: framed(lines), missing, homeless };
  });
}

const framed = (lines: Line[]): Line[] => [
  { kind: 'header', format: 'taskyard-export', version: 1, exported_by: 'vibe-kanban' },
  ...lines,
  { kind: 'end', records: lines.length },
];

async function boardsOf(records: Records, placeOf: (path: string) => Promise<Place | null>) {
  const placed = await Promise.all(
    records.repositories.map(async (repository) => ({ ...repository, place: await placeOf(String(repository.path)) })),
  );
  const boards = new Map<Value, Board>();
  for (const { id, name, ...times } of records.projects) {
    const repositories = placed.filter(({ project }) => project === id);
    boards.set(id, { id: String(id), name: textOf(name), times: timesOf(times), repositories, tasks: [], loose: [] });
  }
  for (const task of records.tasks) boards.get(task.project)?.tasks.push(task);
  const known = new Set(records.tasks.map(({ id }) => id));
  const loose = records.attempts.filter(({ task }) => !known.has(task));
  const homeless = loose.filter((attempt) => !placeLoose(attempt, records, placed, boards)).length;
  return { boards: [...boards.values()], homeless };
}

/** A workspace without a task lies in the project of its repository; one that is in none becomes a project. */
function placeLoose(
  attempt: Attempt,
  records: Records,
  placed: Board['repositories'],
  boards: Map<Value, Board>,
): boolean {
  const used = records.attemptRepositories.find((one) => one.attempt === attempt.id)?.repository;
  const repository = placed.find(({ id }) => id === used);
  if (used === undefined || !repository) return false;
  const key = repository.project ?? used;
  const board = boards.get(key) ?? {
    id: String(key),
    name: textOf(repository.path).replace(/^.*\/(?=[^/])/, ''),
    times: {},
    repositories: [repository],
    tasks: [],
    loose: [],
  };
  boards.set(key, board);
  board.loose.push(attempt);
  return true;
}

function projectLines({ id, name, times, repositories }: Board): Line[] {
  const own = { kind: 'project', system: SYSTEM, external_id: id, name, ...times };
  return [own, ...repositories.map((repository) => repositoryLine(id, repository))];
}

function repositoryLine(
  project: string,
  { id, name, branch, setup, cleanup, place }: Board['repositories'][number],
): Line {
  const isNamed = /^[A-Za-z0-9_][\w.-]*$/.test(textOf(name)) && name !== '__NEEDS_BACKFILL__';
  return {
    kind: 'repository',
    system: SYSTEM,
    external_id: String(id),
    project: refTo(project),
    ...place,
    ...(isNamed && { name }),
    ...(branch && { default_target_branch: branch }),
    ...(setup && { setup_script: setup }),
    ...(cleanup && { cleanup_script: cleanup }),
  };
}

function taskLines(board: Board, records: Records, below: (attempt: Attempt) => Line[]): Line[] {
  const attempts = grouped(records.attempts, 'task');
  const taskOfAttempt = new Map(records.attempts.map(({ id, task }) => [id, task]));
  const tasks = parentsFirst(board.tasks, taskOfAttempt);
  return [
    ...tasks.map(([task, parent]) => taskLine(board.id, task, parent)),
    ...tasks.flatMap(([{ id }]) => (attempts.get(id) ?? []).flatMap((attempt) => below(attempt))),
    ...board.loose.flatMap((attempt) => looseLines(board.id, attempt, below)),
  ];
}

/** Each task behind the one above it, which is the task of the attempt that made it. */
function parentsFirst(tasks: Task[], taskOfAttempt: ReadonlyMap<Value, Value>): [Task, Task | undefined][] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const listed = new Map<Task, Task | undefined>();
  const list = (task: Task, above: ReadonlySet<Task>): void => {
    if (listed.has(task)) return;
    const parent = task.parent === null ? undefined : byId.get(taskOfAttempt.get(task.parent) ?? null);
    const isAbove = parent !== undefined && parent !== task && !above.has(parent);
    if (isAbove) list(parent, new Set([...above, task]));
    listed.set(task, isAbove ? parent : undefined);
  };
  for (const task of tasks) list(task, new Set());
  return [...listed];
}

function taskLine(project: string, task: Task, parent: Task | undefined): Line {
  const { created_at, updated_at } = task;
  const times = timesOf({ created_at, updated_at });
  return {
    kind: 'task',
    system: SYSTEM,
    external_id: String(task.id),
    project: refTo(project),
    ...(parent && { parent: refTo(parent.id) }),
    title: titled(task.title),
    ...(task.description && { description: task.description }),
    stage: STAGES[textOf(task.status)] ?? 'INIT',
    ...times,
    ...(task.status === 'done' && timesOf({ completed_at: updated_at })),
  };
}

/** A workspace without a task, as a task of its name with one attempt. */
function looseLines(project: string, attempt: Attempt, below: (attempt: Attempt) => Line[]): Line[] {
  const [own, ...rest] = below({ ...attempt, task: attempt.id });
  const { created_at, updated_at } = attempt;
  const task = {
    kind: 'task',
    system: SYSTEM,
    external_id: String(attempt.id),
    project: refTo(project),
    title: titled(attempt.name || attempt.branch),
    stage: own!.delivery_state === 'merged' ? 'DONE' : rest.some(({ kind }) => kind === 'turn') ? 'VERIFY' : 'INIT',
    ...timesOf({ created_at, updated_at, ...(attempt.archived === 1 && { archived_at: updated_at }) }),
  };
  return [task, own!, ...rest];
}

const titled = (text: Value): string => textOf(text).trim().slice(0, TITLE_CHARACTERS) || 'Untitled';
