import path from 'node:path';

/** Settings that win over the user's: hooks, background upkeep, monitors and prompts of the user never run for us.
 *  The system and user configuration is read all the same: filters (Git LFS), proxies and certificates live there. */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.quotePath': 'false',
  'core.splitIndex': 'false',
  'core.safecrlf': 'false',
  'core.askPass': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  // Filling a tree waits for the disk: 8 writers took 0.9 s where one took 6-13 s on a busy disk.
  'checkout.workers': '8',
  'safe.directory': '*',
  'advice.addEmbeddedRepo': 'false',
  'user.name': 'Taskyard',
  'user.email': 'taskyard@localhost',
};

export const fixedArguments: readonly string[] = Object.entries(settings).flatMap(([key, value]) => [
  '-c',
  `${key}=${value}`,
]);

/** @param ceiling the repository must be `dir` itself: in a damaged worktree git would else climb up and work on whatever
 *  repository holds the data folder. */
export function environmentFor(
  dir: string,
  base: Readonly<Record<string, string>>,
  ceiling: boolean,
): Record<string, string> {
  return {
    ...base,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file',
    ...(ceiling ? { GIT_CEILING_DIRECTORIES: path.dirname(dir) } : {}),
  };
}
