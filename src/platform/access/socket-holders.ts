import { readdir, readFile, readlink } from 'node:fs/promises';
import DataLoader from 'dataloader';

/** Processes of the runs that this server has started. Provided by the module that starts them. */
export interface RunProcesses {
  readonly pids: readonly number[];
}

/** Tells by their open files which processes hold a socket. One walk through /proc at a time answers all who asked
 *  before it began: a flood of connections would otherwise read the files of each for each other. */
export class SocketHolders {
  private walk: Promise<unknown> = Promise.resolve();
  private readonly asked = new DataLoader<string, boolean>((inodes) => this.look(inodes), {
    cache: false, // whoever asks later sees what happened since
    batchScheduleFn: (begin) => void this.walk.finally(() => setImmediate(begin)),
  });

  constructor(private readonly runs: RunProcesses) {}

  /** Whether a process that is no run, nor descends from one, shows the socket, and no run holds it or hides what it
   *  holds. A socket that nobody shows is on its way between two processes, or hidden: nobody is admitted for it. */
  areOutside(inode: string): Promise<boolean> {
    return this.asked.load(inode);
  }

  private look(inodes: readonly string[]): Promise<boolean[]> {
    const outside = heldOutside(inodes, this.runs.pids);
    this.walk = outside.catch(() => undefined); // told to who asked
    return outside.then((found) => inodes.map((inode) => found.has(inode)));
  }
}

async function heldOutside(inodes: readonly string[], pids: readonly number[]): Promise<Set<string>> {
  const runs = await withDescendants(pids);
  const wanted = new Set(inodes);
  for (const pid of runs) {
    const shown = await socketsOfThreads(pid);
    if (shown === null) return new Set(); // it may hold any of them
    for (const inode of shown) wanted.delete(inode);
  }
  const holders = await findHolders(wanted, runs);
  const later = await withDescendants(pids);
  return new Set([...holders].filter(([, pid]) => !later.has(pid)).map(([inode]) => inode));
}

/** The first process that shows each of them, callers being among the newest. */
async function findHolders(wanted: ReadonlySet<string>, runs: ReadonlySet<number>): Promise<Map<string, number>> {
  const others = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && !runs.has(pid));
  const holders = new Map<string, number>();
  for (const pid of others.sort((a, b) => b - a)) {
    if (holders.size === wanted.size) break;
    const shown = await socketsIn(`/proc/${pid}/fd`).catch(() => []); // somebody else's
    for (const inode of shown) if (wanted.has(inode) && !holders.has(inode)) holders.set(inode, pid);
  }
  return holders;
}

async function withDescendants(pids: readonly number[]): Promise<Set<number>> {
  const children = await Promise.all(pids.map(async (pid) => withDescendants(await childrenOf(pid))));
  return new Set([...pids, ...children.flatMap((found) => [...found])]);
}

async function childrenOf(pid: number): Promise<number[]> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []); // it has ended meanwhile
  const lists = await Promise.all(
    threads.map((thread) => readFile(`${folder}/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Of every thread, each of which may have files of its own; null where that cannot be read: it hides. */
async function socketsOfThreads(pid: number): Promise<string[] | null> {
  try {
    const threads = await unlessGone(readdir(`/proc/${pid}/task`));
    const shown = await Promise.all(threads.map((thread) => socketsIn(`/proc/${pid}/task/${thread}/fd`)));
    return shown.flat();
  } catch {
    return null;
  }
}

/** Their inodes, which name them. */
async function socketsIn(folder: string): Promise<string[]> {
  const files = await unlessGone(readdir(folder));
  const links = await Promise.all(
    files.map((file) => unlessGone(readlink(`${folder}/${file}`).then((link) => [link]))),
  );
  return links.flat().flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

/** Threads end and files are closed while one looks. */
const unlessGone = (reading: Promise<string[]>): Promise<string[]> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return [];
    throw error;
  });
