import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, Confinement } from './sandbox.js';

/** Every process gets new, empty ones: shared ones would be a way from one run to the next. */
const TEMPORARY = ['/tmp', '/var/tmp'];

/** What programs write beside their work and their state: there, wherever the server's user has it. */
const SCRATCH = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache', npm_config_cache: '/tmp/.npm' };

const IS_ROOT = process.getuid?.() === 0;

/** Settings of the kernel, which root may write without any capability, under whatever number it is known inside. For
 *  nobody else: an agent's own sandbox may mount a /proc only while nothing of ours lies over it. */
const KERNEL = IS_ROOT ? ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'] : [];

/** As in the files of `accounts`. */
const ORDINARY_ID = '1000';
const accounts = fileURLToPath(new URL('./accounts', import.meta.url));

/** Root, by another number: only who may give capabilities to files may map the number 0, and an agent that confines
 *  its own commands maps the number that it has. Its namespace knows no other account. */
const AS_ORDINARY_USER = [
  ...['--unshare-user', '--uid', ORDINARY_ID, '--gid', ORDINARY_ID],
  ...['passwd', 'group'].flatMap((name) => ['--ro-bind', path.join(accounts, name), `/etc/${name}`]),
];

/** Who processes are inside, the best first: what asks for user namespaces of root does not work on every machine. */
export const INSIDE_USERS: readonly (readonly string[])[] = IS_ROOT ? [AS_ORDINARY_USER, []] : [[]];

/** The view of the file system: all of it read-only, then what is hidden, shown and writable. The narrowest rule wins.
 *  The process is in PID and mount namespaces of its own, which end with bubblewrap itself.
 *  @param user one of INSIDE_USERS */
export function bubblewrapArgs(
  { writable, readable, environment }: Confinement,
  hidden: readonly string[],
  user: readonly string[],
): string[] {
  const rules = [
    ...TEMPORARY.map((target) => ['--tmpfs', target]),
    ...hiddenPlaces(hidden).map(hide),
    ...present(readable).map((target) => ['--ro-bind', target, target]),
    ...present(writable).map((target) => ['--bind', target, target]),
  ].sort(byDepth);
  return [
    ...['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...KERNEL.flatMap((target) => ['--ro-bind-try', target, target]),
    ...user,
    ...rules.flat(),
    ...Object.entries({ ...SCRATCH, ...environment }).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** bubblewrap must not obey the signals of a stop, which are for the program inside: with its own end all is killed
 *  at once. */
export function insideBubblewrap({ program, args }: Command, cwd: string, view: readonly string[]): Command {
  const inside = ['env', '--default-signal=INT,TERM', program, ...args];
  return { program: 'env', args: ['--ignore-signal=INT,TERM', 'bwrap', ...view, '--chdir', cwd, '--', ...inside] };
}

const present = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((one) => path.resolve(one)))].filter(existsSync);

/** Where they really lie: nothing can be mounted behind a link, as /var/run may be one. */
const hiddenPlaces = (paths: readonly string[]): string[] => [
  ...new Set(present(paths).map((one) => realpathSync(one))),
];

/** A folder becomes an empty one, a file an empty one. */
const hide = (target: string): string[] =>
  statSync(target).isDirectory() ? ['--tmpfs', target] : ['--ro-bind', '/dev/null', target];

/** By the last word of a rule, its place. A stable sort: of rules for one place the most generous comes last and
 *  holds. */
const byDepth = (a: string[], b: string[]): number => depth(a) - depth(b);
const depth = (rule: string[]): number => rule.at(-1)!.split('/').length;
