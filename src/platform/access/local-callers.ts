import { readFile } from 'node:fs/promises';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';
import DataLoader from 'dataloader';
import { AppError } from '../errors/app-error.js';
import { type RunProcesses, SocketHolders } from './socket-holders.js';

/** The process at the other end of a loopback connection, as the kernel sees it. */
interface SocketOwner {
  uid: number;
  /** Names the socket among the open files of its processes. */
  inode: string;
}

/** Both ends of a connection, as a socket has them. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** Kernel tables that grow with every connection of the machine: simultaneous callers share one read. */
const tables: DataLoader<string, string> = new DataLoader(
  (files) => {
    tables.clearAll(); // who asks later sees later connections
    return Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => ''))); // no /proc: nobody can say
  },
  { batchScheduleFn: setImmediate },
);

/** Who made a connection from this machine.
 *  A caller may reach an IPv4 address from a socket of IPv6 (Java does), so both tables are read.
 *  @returns null where the kernel does not say (no /proc) or the caller is gone */
export async function findSocketOwner(socket: Ends): Promise<SocketOwner | null> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return null;
  const pairs = ['', '::ffff:'].map((prefix) => [
    endOf(asWritten(remoteAddress, prefix), remotePort),
    endOf(asWritten(localAddress, prefix), localPort),
  ]);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await tables.load(table);
    const owner = pairs.map(([caller, ours]) => ownerIn(rows, `${caller} ${ours} `)).find((found) => found !== null);
    if (owner) return owner;
  }
  return null;
}

/** Whether the kernel of this machine tells who owns a socket. */
const knowsSocketOwners = process.platform === 'linux';

/** `sl local_address rem_address st tx:rx tr:when retransmits uid timeout inode …`: local is the caller's end. */
function ownerIn(rows: string, ends: string): SocketOwner | null {
  const at = rows.indexOf(ends);
  if (at === -1) return null;
  const [, , , , , , uid, , inode] = rows.slice(at, rows.indexOf('\n', at)).split(/\s+/);
  return inode === undefined || inode === '0' ? null : { uid: Number(uid), inode }; // 0: already closed by its owner
}

const asWritten = (address: string, prefix: string): string => {
  const plain = address.replace(/^::ffff:/, '');
  return isIPv4(plain) ? prefix + plain : plain;
};

/** As the table shows it: every four bytes as one number of this machine's byte order, the port as it is. */
function endOf(address: string, port: number): string {
  const words = isIPv4(address) ? [bytesOf(address)] : wordsOf(address);
  const swapped = words.map((word) => (endianness() === 'LE' ? word.reverse() : word).toString('hex'));
  return `${swapped.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

const bytesOf = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

/** The four words of an IPv6 address, whose end may be written as IPv4. */
function wordsOf(address: string): Buffer[] {
  const [, head = address, tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const written = tail === undefined ? address : `${head}${bytesOf(tail).toString('hex').replace(/^..../, '$&:')}`;
  const [left = '', right] = written.split('::');
  const groups = (text: string): string[] => text.split(':').filter(Boolean);
  const missing = right === undefined ? 0 : 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right ?? '')];
  const bytes = Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
  return [0, 4, 8, 12].map((at) => bytes.subarray(at, at + 4));
}

/** Set by a gateway on calls it forwards: the inode of its own caller's socket. It can only take rights away. */
export const SOCKET_HEADER = 'taskyard-caller-socket';

/** Where runs have no walls, whoever is seen to be the server's own user, and no run, is its owner. */
export class LocalCallers {
  private readonly holders: SocketHolders;
  /** Looked up once for each connection. */
  private readonly inodes = new WeakMap<Ends, string | null | Promise<string | null>>();

  constructor(runs: RunProcesses) {
    this.holders = new SocketHolders(runs);
  }

  /** @returns the inode of the caller's socket, null where the kernel does not tell; a promise until that is known
   *  @throws AppError unauthenticated */
  requireOwner(connection: Ends): string | null | Promise<string | null> {
    const known = this.inodes.get(connection);
    if (known !== undefined) return known;
    const looked = this.ownedBySelf(connection).then((inode) => {
      this.inodes.set(connection, inode);
      return inode;
    });
    this.inodes.set(connection, looked);
    return looked;
  }

  /** @throws AppError unauthenticated */
  async requireNoRun(inode: string): Promise<void> {
    if (await this.holders.areOutside(inode)) return;
    throw new AppError(
      'unauthenticated',
      {},
      'The caller is a run, or hides its open files. A run calls with its own token: send the headers that came with ' +
        'the address of its MCP endpoint.',
    );
  }

  private async ownedBySelf(connection: Ends): Promise<string | null> {
    if (!knowsSocketOwners) return null;
    const owner = await findSocketOwner(connection);
    if (owner === null || owner.uid !== process.getuid?.())
      throw new AppError(
        'unauthenticated',
        {},
        'Without a token only the user of the server is served: call as that user, or set TASKFLOW_SERVICE_TOKEN.',
      );
    await this.requireNoRun(owner.inode);
    return owner.inode;
  }
}
