import { AppError } from '../errors/app-error.js';
import { type Ends, findSocketOwner, isHeldBy, knowsSocketOwners } from './socket-owner.js';

/** Processes of the runs that this server has started. Provided by the module that starts them. */
export interface RunProcesses {
  readonly pids: readonly number[];
}

/** On a call that a gateway passes on: the inode of its own caller's socket. It can only take rights away. */
export const SOCKET_HEADER = 'taskyard-caller-socket';

const ROOT = 0;

/** Where no token is set, the machine's owner is the server's own user: any account, and any run, can open a port. */
export class LocalCallers {
  /** By connection, which is looked at once. */
  private readonly inodes = new WeakMap<Ends, string | null | Promise<string | null>>();

  /** @returns the inode of the caller's socket, null where the kernel does not tell; a promise until that is known
   *  @throws AppError unauthenticated */
  requireOwner(connection: Ends, runs: RunProcesses): string | null | Promise<string | null> {
    const known = this.inodes.get(connection);
    if (known !== undefined) return known;
    const looked = ownedBySelf(connection, runs).then((inode) => {
      this.inodes.set(connection, inode);
      return inode;
    });
    this.inodes.set(connection, looked);
    return looked;
  }
}

/** @throws AppError unauthenticated */
export async function requireNoRun(inode: string, { pids }: RunProcesses): Promise<void> {
  if (await isHeldBy(inode, pids))
    throw new AppError(
      'unauthenticated',
      {},
      'A run calls with its own token: send the headers that came with the address of its MCP endpoint.',
    );
}

async function ownedBySelf(connection: Ends, runs: RunProcesses): Promise<string | null> {
  if (!knowsSocketOwners) return null;
  const owner = await findSocketOwner(connection);
  if (owner === null || ![ROOT, process.getuid?.()].includes(owner.uid))
    throw new AppError(
      'unauthenticated',
      {},
      'Without a token only the user of the server is served: call as that user, or set TASKFLOW_SERVICE_TOKEN.',
    );
  await requireNoRun(owner.inode, runs);
  return owner.inode;
}
