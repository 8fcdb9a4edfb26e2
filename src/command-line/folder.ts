import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Schemas } from '../client/index.js';
import { askGit } from '../platform/process/run-program.js';
import { CommandFailure, exits } from './exits.js';
import type { Session } from './session.js';

const PAGE = 500;

/** A repository on this machine. */
export class Folder {
  private asked: Promise<string | null> | undefined;

  constructor(readonly root: string) {}

  /** URL of origin, or of the only remote; null without. To ask git takes longer than a request: it is asked last. */
  remote(): Promise<string | null> {
    this.asked ??= remoteOf(this.root);
    return this.asked;
  }
}

async function remoteOf(root: string): Promise<string | null> {
  const lines = (await askGit(root, ['config', '--get-regexp', String.raw`^remote\..*\.url$`])) ?? '';
  const found = [...lines.matchAll(/^remote\.(.*)\.url (.+)$/gm)];
  const remotes = new Map(found.map(([, name = '', url = '']): [string, string] => [name, url]));
  const only = remotes.size === 1 ? [...remotes.values()][0] : undefined;
  return remotes.get('origin') ?? only ?? null;
}

export type FoundProject = Pick<Schemas['ProjectOutput'], 'project_id' | 'name'>;

export const isRepository = (folder: string): boolean => existsSync(path.join(folder, '.git'));

/** The repository that a folder is in. @throws CommandFailure where it is in none */
export function folderAt(place: string): Folder {
  const given = path.resolve(place);
  const above = given.split(path.sep).map((_, at, parts) => parts.slice(0, parts.length - at).join(path.sep));
  const root = above.find(isRepository);
  if (root !== undefined) return new Folder(realpathSync(root));
  throw new CommandFailure(`${given} is in no git repository`, exits.failed, 'taskyard … --project ID');
}

/** The newest project that holds the repository: by its path on this machine, or by its remote; null without. */
export async function projectOf(session: Session, folder: Folder): Promise<FoundProject | null> {
  const here = session.isHere ? await projectWith(session, { repo_path: folder.root }) : null;
  if (here !== null) return here;
  const remote = await folder.remote();
  return remote === null ? null : projectWith(session, { repo_url: withoutUser(remote) });
}

/** Addresses of requests are logged, and a remote may hold a password. */
const withoutUser = (remote: string): string => remote.replace(/^(\w+:\/\/)[^@/]*@/, '$1');

async function projectWith({ client }: Session, repo: object): Promise<FoundProject | null> {
  const { projects } = await client.GET('/api/projects', { params: { query: { ...repo, limit: 1 } } });
  return projects[0] ?? null;
}

/** By id, slug or name. @throws CommandFailure where there is none */
export async function projectNamed(session: Session, said: string): Promise<FoundProject> {
  for await (const projects of pagesOf(session)) {
    const found = projects.find(({ project_id, slug, name }) => [project_id, slug, name].includes(said));
    if (found) return found;
  }
  throw new CommandFailure(`there is no project ${said}`, exits.failed, 'taskyard list --projects');
}

/** The project that a command means. @throws CommandFailure where there is none */
export async function requireProject(
  session: Session,
  { project, repo = '.' }: { project?: string; repo?: string },
): Promise<FoundProject> {
  if (project !== undefined) return projectNamed(session, project);
  const folder = folderAt(repo);
  const found = await projectOf(session, folder);
  if (found === null)
    throw new CommandFailure(`no project holds ${folder.root}`, exits.failed, 'taskyard run "…" --yes');
  return found;
}

export async function* pagesOf({ client }: Session): AsyncGenerator<Schemas['ProjectOutput'][]> {
  for (let cursor: number | null = null; ;) {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const page: Schemas['ListProjectsOutput'] = await client.GET('/api/projects', { params: { query } });
    yield page.projects;
    cursor = page.next_cursor;
    if (cursor === null) return;
  }
}
