import type { SourceFile } from './source-files.js';

/** The floors of the house: imports only go down. Files directly in `src/` are the roof, floor 5. */
export const floorOfRoom: Record<string, number> = {
  platform: 0,
  config: 0,
  cluster: 1,
  git: 1,
  migration: 1,
  health: 1,
  mcp: 1,
  idempotency: 1,
  executors: 1,
  workspaces: 1,
  forges: 1,
  audit: 1,
  events: 1,
  oidc: 1,
  'tool-invocations': 1,
  tokens: 1,
  secrets: 1,
  egress: 1,
  storage: 1,
  workers: 2,
  projects: 2,
  tasks: 2,
  thoughts: 2,
  attempts: 2,
  sessions: 2,
  executions: 2,
  approvals: 2,
  comments: 2,
  checks: 2,
  network: 3,
  inbox: 3,
  references: 3,
  search: 3,
  turns: 3,
  'check-runs': 3,
  continuations: 3,
  repair: 3,
  deliveries: 3,
  'pull-requests': 3,
  work: 3,
  review: 3,
  'second-review': 3,
  runner: 3,
  backup: 3,
  transfer: 3,
  toolsets: 4,
  client: 5,
  'command-line': 5,
  gateway: 5,
  doctor: 5,
  pages: 5,
};
const roof = 5;
/** Each room of floor 2 may import those of earlier ranks, as the foreign keys point. */
const recordRanks = [
  ['workers'],
  ['projects'],
  ['tasks'],
  ['thoughts', 'attempts'],
  ['sessions'],
  ['executions'],
  ['approvals', 'comments', 'checks'],
];

/** What the mechanisms of floor 1 stand on, from the ground up; the others do not know each other. */
const groundsOfFloor1 = ['cluster', 'git', 'migration', 'secrets', 'egress'];

/** Which rooms of floor 3 each of them stands on. */
const verbsOn: Record<string, readonly string[]> = {
  network: [],
  inbox: ['continuations'],
  references: [],
  search: [],
  transfer: [],
  turns: ['network'],
  'check-runs': ['turns'],
  continuations: ['turns'],
  repair: ['turns', 'continuations'],
  'second-review': ['turns', 'review', 'continuations'],
  runner: ['network', 'turns', 'second-review'],
  deliveries: ['turns', 'check-runs'],
  'pull-requests': ['turns', 'deliveries'],
  review: ['deliveries'],
  backup: [],
  work: ['turns', 'deliveries', 'pull-requests', 'review'],
};

interface Place {
  floor: number | undefined;
  folder: string;
}

/** Whether a room of floor 3 stands on another one. */
export const standsOn = (room: string, other: string): boolean => verbsOn[room]?.includes(other) ?? false;

/** Imports that go up, sideways, or out of the house. */
export function floorViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((file) => {
      const from = placeOf(file.path);
      if (from.floor === undefined) return [`${file.path}: the folder "${from.folder}" stands on no floor`];
      return targets(file).flatMap((target) => {
        const reason = refusal(from, target, file.path);
        return reason ? [`${file.path} imports ${target}: ${reason}`] : [];
      });
    });
}

/** Groups of files, and of folders, that import each other in a circle. */
export function cycles(files: readonly SourceFile[]): string[] {
  const byFile = new Map(files.map((file) => [file.path, targets(file)]));
  const byFolder = new Map<string, string[]>();
  for (const file of files) {
    const folder = unitOf(file.path);
    byFolder.set(folder, [
      ...(byFolder.get(folder) ?? []),
      ...targets(file)
        .map(unitOf)
        .filter((other) => other !== folder),
    ]);
  }
  const found = [...circles(byFile), ...circles(byFolder)].map(
    (circle) => `${circle.join(' → ')}: imports go in a circle`,
  );
  return [...new Set(found)];
}

function refusal(from: Place, target: string, path: string): string | undefined {
  if (target.startsWith('migrations/'))
    return path.startsWith('src/migration/') ? undefined : 'only src/migration knows the migrations';
  if (!target.startsWith('src/')) return 'the source imports nothing outside src';
  const to = placeOf(target);
  if (to.floor === undefined || from.floor === undefined) return `the folder "${to.folder}" stands on no floor`;
  if (to.floor > from.floor) return `floor ${from.floor} may not import floor ${to.floor}`;
  if (to.floor < from.floor || to.folder === from.folder) return undefined;
  return refusalOnOneFloor(from, to);
}

function refusalOnOneFloor(from: Place, to: Place): string | undefined {
  if (from.floor === 1) return refusalAmongMechanisms(from, to);
  if (from.floor === 3 && !verbsOn[from.folder]?.includes(to.folder)) return `${from.folder} may not know ${to.folder}`;
  if (from.floor === 2 && rankOf(to.folder) >= rankOf(from.folder))
    return `${from.folder} may not know ${to.folder}: ${recordRanks.map((rank) => rank.join(' · ')).join(' ← ')}`;
  return undefined;
}

function refusalAmongMechanisms(from: Place, to: Place): string | undefined {
  const [below, own] = [to, from].map(({ folder }) => groundsOfFloor1.indexOf(folder)) as [number, number];
  return below >= 0 && (own < 0 || below < own) ? undefined : 'the mechanisms of floor 1 do not know each other';
}

function placeOf(path: string): Place {
  const [, folder = '', ...below] = path.split('/');
  if (below.length === 0) return { floor: roof, folder: '' };
  return { floor: floorOfRoom[folder], folder };
}

/** Folders that may not form a circle: those of `src/`, one level deeper in `platform/` and `toolsets/`. */
function unitOf(path: string): string {
  const folder = path.split('/').slice(0, -1);
  const unit = folder.slice(0, /^(platform|toolsets)$/.test(folder[1] ?? '') ? 3 : 2).join('/');
  // an envelope has fields, a field has errors
  return unit.replace(/^src\/platform\/(errors|fields)$/, 'src/platform/errors and fields');
}

function rankOf(folder: string): number {
  return recordRanks.findIndex((rank) => rank.includes(folder));
}

function targets(file: SourceFile): string[] {
  return file.imports.flatMap(({ target }) => target ?? []);
}

/** One circle for each node that a depth-first walk meets again on its own path. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  const walk = (node: string, path: string[]): void => {
    if (path.includes(node)) found.push([...path.slice(path.indexOf(node)), node]);
    if (done.has(node) || path.includes(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return found;
}
