import path from 'node:path';
import { realpath } from 'node:fs/promises';
import type { Schemas } from '../client/index.js';
import { askGit } from '../platform/process/run-program.js';
import { CommandFailure, exits } from './exits.js';
import type { Session } from './session.js';

/** Projects whose repositories are asked for at a time. */
const TOGETHER = 8;
const PAGE = 500;

/** A repository on this machine. */
export interface Folder {
  root: string;
  /** URL of origin, or of the only remote; null without. */
  remote: string | null;
}

export type FoundProject = Pick<Schemas['ProjectOutput'], 'project_id' | 'name'>;

/** @throws CommandFailure where the folder is in no repository */
export async function folderAt(place: string): Promise<Folder> {
  const folder = path.resolve(place);
  const [root, lines] = await Promise.all([
    askGit(folder, ['rev-parse', '--show-toplevel']),
    askGit(folder, ['config', '--get-regexp', String.raw`^remote\..*\.url$`]),
  ]);
  if (root === null)
    throw new CommandFailure(`${folder} is in no git repository`, exits.failed, 'taskyard … --project ID');
  const found = [...(lines ?? '').matchAll(/^remote\.(.*)\.url (.+)$/gm)];
  const remotes = new Map(found.map(([, name = '', url = '']): [string, string] => [name, url]));
  const only = remotes.size === 1 ? [...remotes.values()][0] : undefined;
  return { root: await realpath(root), remote: remotes.get('origin') ?? only ?? null };
}

/** The newest project that holds the repository: by its remote, or by its path on this machine; null without.
 *  @param looking git may still look while the server is asked */
export async function projectOf(session: Session, looking: Promise<Folder>): Promise<FoundProject | null> {
  const pages = pagesOf(session);
  const first = pages.next();
  first.catch(() => undefined); // heard of below, where the folder is none
  const folder = await looking;
  for (let page = await first; !page.done; page = await pages.next()) {
    for (let at = 0; at < page.value.length; at += TOGETHER) {
      const some = page.value.slice(at, at + TOGETHER);
      const holds = await Promise.all(some.map(({ project_id }) => holdsFolder(session, project_id, folder)));
      const found = some.find((_, index) => holds[index]);
      if (found) return found;
    }
  }
  return null;
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
    throw new CommandFailure(`no project holds ${(await folder).root}`, exits.failed, 'taskyard run "…" --yes');
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

async function holdsFolder({ client, isHere }: Session, project_id: string, folder: Folder): Promise<boolean> {
  const params = { path: { project_id }, query: { limit: PAGE } };
  const { repos } = await client.GET('/api/projects/{project_id}/repos', { params });
  const remote = folder.remote === null ? null : comparable(folder.remote);
  return repos.some(
    ({ url, path: there }) =>
      (isHere && there === folder.root) || (url !== null && remote !== null && comparable(url) === remote),
  );
}

/** The same for every way to reach a repository: by ssh or https, with a user or without. */
export function comparable(url: string): string {
  const [, scpHost, scpPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(url) ?? [];
  const isScp = scpHost !== undefined && scpPath !== undefined;
  if (!isScp && !URL.canParse(url)) return path.resolve(url);
  const { hostname, pathname } = isScp ? { hostname: scpHost, pathname: `/${scpPath}` } : new URL(url);
  return `${hostname.toLowerCase()}/${pathname.replace(/^\/+|\/+$|\.git\/*$/g, '')}`;
}
