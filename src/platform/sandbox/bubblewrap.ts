import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { relayMounts } from './relay.js';
import type { Command, Confinement } from './sandbox.js';

/** Every process gets new, empty ones, because shared ones would connect runs. */
const TEMPORARY = ['/tmp', '/var/tmp'];

/** Where programs write what is neither work nor state. */
const SCRATCH = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' };

const IS_ROOT = process.getuid?.() === 0;

/** Kernel settings, which root can write without any capability, whatever its uid inside. Only for root: an agent's own
 *  sandbox can mount a /proc only if nothing is mounted over ours. */
const KERNEL = IS_ROOT ? ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'] : [];

/** As in the files of `accounts`. */
const ORDINARY_ID = '1000';
const accounts = fileURLToPath(new URL('./accounts', import.meta.url));

/** Root under another uid: mapping uid 0 takes CAP_SETFCAP, and an agent that sandboxes its own commands maps its own
 *  uid. The namespace has no other account. */
const AS_ORDINARY_USER = [
  ...['--unshare-user', '--uid', ORDINARY_ID, '--gid', ORDINARY_ID],
  ...['passwd', 'group'].flatMap((name) => ['--ro-bind', path.join(accounts, name), `/etc/${name}`]),
];

/** Users inside, best first: user namespaces of root do not work on every machine. */
export const INSIDE_USERS: readonly (readonly string[])[] = IS_ROOT ? [AS_ORDINARY_USER, []] : [[]];

/** The view of the file system: all of it read-only, then what is hidden, shown and writable. The narrowest rule wins.
 *  The process is in PID and mount namespaces of its own, which end with bubblewrap itself.
 *  @param user one of INSIDE_USERS */
export function bubblewrapArgs(
  { writable, readable, mounted = [], environment, network }: Confinement,
  hidden: readonly string[],
  user: readonly string[],
): string[] {
  const hiding = hiddenPlaces(hidden).map(hide);
  const mounts = typeof network === 'object' ? [...mounted, ...relayMounts(network.socket)] : mounted;
  const rules = [
    ...TEMPORARY.map((target) => ['--tmpfs', target]),
    ...hiding,
    ...showing(present(readable), hiding),
    ...present(writable).map((target) => ['--bind', target, target]),
    ...mounts.map(({ source, target, isWritable }) => [isWritable ? '--bind' : '--ro-bind', source, target]),
  ].sort(byDepth);
  return [
    ...['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...KERNEL.flatMap((target) => ['--ro-bind-try', target, target]),
    ...(network === undefined ? [] : ['--unshare-net']),
    ...user,
    ...rules.flat(),
    ...hiding.flatMap(([kind, target]) => (kind === '--tmpfs' ? ['--remount-ro', target!] : [])),
    ...Object.entries({ ...SCRATCH, ...environment }).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** bubblewrap must ignore the signals of a stop, which are for the program inside: if it ended, all would be killed at
 *  once. */
export function insideBubblewrap({ program, args }: Command, cwd: string, view: readonly string[]): Command {
  const inside = ['env', '--default-signal=INT,TERM', program, ...args];
  return { program: 'env', args: ['--ignore-signal=INT,TERM', 'bwrap', ...view, '--chdir', cwd, '--', ...inside] };
}

const present = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((one) => path.resolve(one)))].filter(existsSync);

/** Resolved, because nothing can be mounted over a symbolic link, which /var/run may be. */
const hiddenPlaces = (paths: readonly string[]): string[] => [
  ...new Set(present(paths).map((one) => realpathSync(one))),
];

/** Replaces a folder or a file by an empty one. */
const hide = (target: string): string[] =>
  statSync(target).isDirectory() ? ['--tmpfs', target] : ['--ro-bind', '/dev/null', target];

/** A link stays one where its folder is hidden, because programs look beside the file that they are linked to. */
function showing(shown: readonly string[], hiding: readonly string[][]): string[][] {
  const isBelow = (target: string, folder: string) => target.startsWith(`${folder}/`);
  return shown.flatMap((target) => {
    const isLink = lstatSync(target).isSymbolicLink() && hiding.some((rule) => isBelow(target, rule.at(-1)!));
    if (!isLink) return [['--ro-bind', target, target]];
    return shown.some((folder) => isBelow(target, folder)) ? [] : [['--symlink', readlinkSync(target), target]];
  });
}

/** By the path, the last argument of a rule. The sort is stable: of rules for one path the most generous comes last and
 *  wins. */
const byDepth = (a: string[], b: string[]): number => depth(a) - depth(b);
const depth = (rule: string[]): number => rule.at(-1)!.split('/').length;
