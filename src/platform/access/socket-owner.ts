import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** The process at the other end of a loopback connection, as the kernel sees it. */
export interface SocketOwner {
  uid: number;
  /** Names the socket among the open files of its processes. */
  inode: string;
}

/** Who made a connection from this machine. @returns null where the kernel does not say (no /proc) or the caller is gone */
export async function findSocketOwner(socket: Socket): Promise<SocketOwner | null> {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return null;
  const table = `/proc/net/${remoteAddress.includes(':') && !remoteAddress.startsWith('::ffff:') ? 'tcp6' : 'tcp'}`;
  const rows = await readFile(table, 'utf8').catch(() => ''); // no /proc on this system: nobody can say
  const row = rows.split('\n').find((line) => connects(line, remotePort, localPort));
  const [, , , , , , , uid, , inode] = row?.trim().split(/\s+/) ?? [];
  return inode === undefined || inode === '0' ? null : { uid: Number(uid), inode }; // 0: already closed by its owner
}

/** Whether the kernel of this machine tells who owns a socket. */
export const knowsSocketOwners = process.platform === 'linux';

/** Whether one of the processes, or of their descendants, holds the socket. */
export async function isHeldBy(inode: string, pids: readonly number[]): Promise<boolean> {
  const held = await Promise.all(pids.map(async (pid) => (await holds(pid, inode)) || childrenHold(pid, inode)));
  return held.includes(true);
}

const childrenHold = async (pid: number, inode: string): Promise<boolean> => isHeldBy(inode, await childrenOf(pid));

/** `sl local_address rem_address st …`, addresses as hex with their port: local is the caller's end. */
function connects(line: string, callerPort: number, ourPort: number): boolean {
  const [, local, remote] = line.trim().split(/\s+/);
  return portOf(local) === callerPort && portOf(remote) === ourPort;
}

const portOf = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16);

async function holds(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []); // it has ended meanwhile
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')));
  return links.includes(`socket:[${inode}]`);
}

async function childrenOf(pid: number): Promise<number[]> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []); // it has ended meanwhile
  const lists = await Promise.all(
    threads.map((thread) => readFile(`${folder}/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
