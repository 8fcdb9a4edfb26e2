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
  'advice.addEmbeddedRepo': 'false',
  'user.name': 'Taskyard',
  'user.email': 'taskyard@localhost',
};

const option = (key: string, value: string): string[] => ['-c', `${key}=${value}`];

/** The empty value drops what system and user trust: git works on repositories of others only where we were told to.
 *  @param trusted folders of repositories that belong to another user */
export function fixedArguments(trusted: readonly string[]): string[] {
  const safe = ['', ...trusted].flatMap((folder) => option('safe.directory', folder));
  return [...Object.entries(settings).flatMap(([key, value]) => option(key, value)), ...safe];
}

/** @param ceiling the repository must be `dir` itself: in a damaged worktree git would else climb up and work on
 *  whatever
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
    // A repository may name itself a partial clone, and its missing objects would be fetched by programs of its own
    // configuration: nothing is fetched but where a call allows it. git 2.39 does not know the second yet.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    ...(ceiling ? { GIT_CEILING_DIRECTORIES: path.dirname(dir) } : {}),
  };
}
