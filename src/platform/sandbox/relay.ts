import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Mount, WayOutSocket } from './sandbox.js';

/** Port on the loopback of a process with a way out, behind which that is. */
const PORT = 3128;
export const RELAY_ORIGIN = `http://127.0.0.1:${PORT}`;

const INSIDE = '/run/taskyard';
const PROGRAM = `${INSIDE}/relay.mjs`;
const SOCKET = `${INSIDE}/way-out`;
const program = fileURLToPath(new URL('./relay.mjs', import.meta.url));

/** Beside the program, which needs longer to its first connection; or before it, for what may connect at once. */
const BESIDE = '"$1" "$2" "$3" "$4" </dev/null >/dev/null 2>&1 & shift 4; exec "$@"';
const BEFORE = ': "$("$1" "$2" "$3" "$4" </dev/null 2>/dev/null &)"; shift 4; exec "$@"';

/** What a process with a way out finds: that, and no resolver, since it reaches nothing by address.
 *  @param socket that leads out */
export const relayMounts = (socket: string): Mount[] => [
  { source: program, target: PROGRAM, isWritable: false },
  { source: socket, target: SOCKET, isWritable: false },
  ...resolverFiles().map((target) => ({ source: '/dev/null', target, isWritable: false })),
];

export const withRelay = (command: Command, { isAwaited }: WayOutSocket): Command => ({
  program: 'sh',
  args: [
    '-c',
    isAwaited ? BEFORE : BESIDE,
    'sh',
    process.execPath,
    PROGRAM,
    String(PORT),
    SOCKET,
    command.program,
    ...command.args,
  ],
});

function resolverFiles(): string[] {
  try {
    return [realpathSync('/etc/resolv.conf')];
  } catch {
    return []; // there is none
  }
}
