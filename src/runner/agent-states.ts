import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AgentState } from '../executors/agent-state.js';
import { renewedLogIn } from '../executors/renewed-log-in.js';
import { ifThere } from '../git/if-there.js';
import { KeyedLimit } from '../git/limits.js';
import { type Mount, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { noteCopied } from '../workspaces/agent-state-archive.js';
import { makeStateFolder, withStateFile, writeStateFile } from '../workspaces/state-files.js';
import { emptyTrash } from '../workspaces/trees.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { type HomePlace, homePlace } from './home-place.js';

/** What one process gets of its agent's state. */
export interface LentState {
  mounted: Mount[];
  /** As in `Confinement`. */
  writable: string[];
  /** Once it has ended: a log-in that it renewed goes back to the home folder. Never fails. */
  giveBack: () => Promise<void>;
}

/** A copied file, as the home folder had it. */
interface Given {
  file: string;
  content: string;
}

/** Whose it is: a reviewer neither reads nor writes what the author remembers. */
type Home = 'home' | 'reviewer';

const NOTHING: LentState = { mounted: [], writable: [], giveBack: () => Promise.resolve() };
const TEMPORARY = ['/tmp', '/var/tmp'];

/** The state of agents. Behind walls each attempt has its own, below DATA_DIR and mounted over the agent's place in the
 *  home folder: what a run leaves there is read by later turns of its attempt and by nobody else. Without walls agents
 *  use the home folder itself, and in a container of their own the one there. */
@Injectable()
export class AgentStates {
  private readonly logger = new Logger(AgentStates.name);
  private readonly logIns = new KeyedLimit();

  constructor(
    @Inject(SANDBOX) private readonly sandbox: Pick<Sandbox, 'isolation'>,
    @Inject(WORKSPACE_HOST) private readonly host: Pick<WorkspaceHost, 'ownFolders'>,
  ) {}

  /** Where such a folder lies for the attempt. */
  folderOf(workspace: Workspace, name: string, home: Home = 'home'): string {
    if (this.sandbox.isolation === 'none') return pathOf(homePlace(name));
    return path.join(this.host.ownFolders(workspace).agentState, home, nameOf(name));
  }

  /** For one process at a time: each has a temporary folder of its own. */
  async lend(
    workspace: Workspace,
    { own, copied = [], bound = [], back = {}, shared = [] }: AgentState,
    home: Home = 'home',
  ): Promise<LentState> {
    if (this.sandbox.isolation !== 'bubblewrap') return NOTHING;
    const folders = new Map(own.map((name) => [name, this.folderOf(workspace, name, home)]));
    for (const folder of folders.values()) await mkdir(folder, { recursive: true, mode: 0o700 });
    const places = copied.map((file) =>
      path.relative(this.folderOf(workspace, '', home), placeIn(folders, file).join('/')),
    );
    await noteCopied(this.host.ownFolders(workspace).agentState, places);
    const given = await this.copy(folders, copied);
    const temporary = path.join(this.host.ownFolders(workspace).agentState, 'tmp');
    await this.discard(temporary); // that a crash left, or a process that is ending yet
    const its = path.join(temporary, randomUUID());
    const mounted = [
      ...[...folders].map(([name, source]) => ({ source, target: ownPlace(name), isWritable: true })),
      ...(await this.mountsOf(folders, bound)),
      ...(await temporaryMounts(its)),
    ];
    const giveBack = async (): Promise<void> => {
      await this.discard(its);
      await rmdir(temporary).catch(() => undefined); // the next process may have its own there by now
      for (const [file, keys] of Object.entries(back))
        await this.quietly('a renewed log-in was not kept', () => this.take(folders, given, file, keys));
    };
    return { mounted, writable: shared.map(ownPlace), giveBack };
  }

  private async copy(folders: ReadonlyMap<string, string>, files: readonly string[]): Promise<Given[]> {
    const given: Given[] = [];
    for (const file of files) {
      const { base, below } = homePlace(file);
      const content = await ifThere(readFile(path.join(base, below)));
      if (content === null) continue;
      const [folder, inside] = placeIn(folders, file);
      await this.quietly(`${file} could not be copied`, () => writeStateFile(folder, inside, content));
      given.push({ file, content: content.toString('utf8') });
    }
    return given;
  }

  /** A mount in a folder that earlier turns wrote needs a real folder there, never a link. */
  private async mountsOf(folders: ReadonlyMap<string, string>, names: readonly string[]): Promise<Mount[]> {
    const there = names
      .map((name) => ({ name, place: pathOf(homePlace(name)) }))
      .filter(({ place }) => existsSync(place));
    for (const { name } of there) {
      const [folder, inside] = placeIn(folders, name);
      if (folder !== '') await makeStateFolder(folder, inside);
    }
    return there.map(({ place }) => ({ source: place, target: place, isWritable: false }));
  }

  /** Only where the home folder still has what was copied, and neither is a link. */
  private async take(
    folders: ReadonlyMap<string, string>,
    given: readonly Given[],
    file: string,
    keys: readonly string[],
  ): Promise<void> {
    const before = given.find((one) => one.file === file)?.content;
    if (before === undefined) return;
    const [folder, inside] = placeIn(folders, file);
    const left = await withStateFile(folder, inside, readSmall);
    const renewed = left && renewedLogIn(before, left, keys);
    if (!renewed) return;
    const { base, below } = homePlace(file);
    await this.logIns.run(file, async () => {
      if ((await withStateFile(base, below, readSmall)) === before)
        await writeStateFile(base, below, Buffer.from(renewed));
    });
  }

  private discard(temporary: string): Promise<void> {
    return this.quietly('a temporary folder is still there', () => emptyTrash(temporary));
  }

  private async quietly(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.warn({ err: error }, what));
  }
}

const LARGEST_LOG_IN = 1024 * 1024;
const readSmall = async (file: { bytes: number; read(): Promise<Buffer> }): Promise<string | null> =>
  file.bytes > LARGEST_LOG_IN ? null : (await file.read()).toString('utf8');

const pathOf = ({ base, below }: HomePlace): string => path.join(base, below);

/** Made if missing, because inside the walls it cannot be. */
function ownPlace(name: string): string {
  const place = pathOf(homePlace(name));
  mkdirSync(place, { recursive: true });
  return place;
}

/** The attempt's own folder that holds it, and where in that; empty where none does. */
function placeIn(folders: ReadonlyMap<string, string>, name: string): [folder: string, inside: string] {
  for (const [own, folder] of folders) if (name.startsWith(own)) return [folder, name.slice(own.length)];
  return ['', ''];
}

/** One segment, whatever the name. */
function nameOf(name: string): string {
  const below = name.replace(/\/$/, '');
  if (!path.isAbsolute(name)) return encodeURIComponent(below);
  return `${path.basename(below)}-${createHash('sha256').update(below).digest('hex').slice(0, 12)}`;
}

/** On disk, where it counts as the run's. */
async function temporaryMounts(folder: string): Promise<Mount[]> {
  const mounts = TEMPORARY.map((target) => ({ source: path.join(folder, target), target, isWritable: true }));
  for (const { source } of mounts) await mkdir(source, { recursive: true, mode: 0o700 });
  return mounts;
}
