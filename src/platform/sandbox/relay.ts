import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command, Mount } from './sandbox.js';

/** Port on the loopback of a process with a way out, behind which that is. */
const PORT = 3128;
export const RELAY_ORIGIN = `http://127.0.0.1:${PORT}`;

const INSIDE = '/run/taskyard';
const PROGRAM = `${INSIDE}/relay.mjs`;
const SOCKET = `${INSIDE}/way-out`;
const program = fileURLToPath(new URL('./relay.mjs', import.meta.url));

/** What the environment says to Node is for the program: the relay would read certificates it never uses, which takes
 *  as long again as its start. */
const BOTH = ': "$(env -i "$1" "$2" "$3" "$4" </dev/null 2>/dev/null &)"; shift 4; exec "$@"';

/** What a process with a way out finds: that, and no resolver, since it reaches nothing by address.
 *  @param socket that leads out */
export const relayMounts = (socket: string): Mount[] => [
  { source: program, target: PROGRAM, isWritable: false },
  { source: socket, target: SOCKET, isWritable: false },
  ...resolverFiles().map((target) => ({ source: '/dev/null', target, isWritable: false })),
];

/** The relay goes on beside the program, which begins once that listens: it may connect at once. */
export const withRelay = ({ program: beside, args }: Command): Command => ({
  program: 'sh',
  args: ['-c', BOTH, 'sh', process.execPath, PROGRAM, String(PORT), SOCKET, beside, ...args],
});

function resolverFiles(): string[] {
  try {
    return [realpathSync('/etc/resolv.conf')];
  } catch {
    return []; // there is none
  }
}
