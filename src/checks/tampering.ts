import type { FileStat } from '../workspaces/artifact-host.js';

/** A changed file as tampering is told from it: its path in the repository. */
export type ChangedFile = Pick<FileStat, 'path' | 'old_path' | 'status'>;

/** What decides a check beside the work itself. A new test weakens none, so that these count once they are changed or
 *  gone. */
const TESTS = [
  /(^|\/)(tests?|__tests__|specs?|e2e|__snapshots__|snapshots|testdata|fixtures)\//i,
  /\.(test|spec|e2e-spec|cy)\.[^/]+$/i,
  /(^|\/)test_[^/]+\.py$/,
  /_test\.(go|py|rb|exs|dart|cc|cpp|c)$/,
  /_spec\.rb$/,
  /Tests?\.(java|kt|kts|cs|swift|scala|groovy)$/,
  /\.(snap|approved\.[^/]+)$/,
];
/** These count also when they are new: they say what a command runs, and with what. */
const SETTINGS = [
  /^\.(github|gitea|forgejo)\/(workflows|actions)\//,
  /^\.(circleci|buildkite|woodpecker|teamcity)\//,
  /^\.(gitlab-ci|travis|drone|woodpecker|cirrus|appveyor)\.ya?ml$/,
  /^(azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$/,
  /(^|\/)Jenkinsfile$/,
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock)$/,
  /(^|\/)(Cargo|poetry|uv|Pipfile|Gemfile|composer|mix|pubspec|flake|Podfile|gradle)\.(lock|lockfile)$/,
  /(^|\/)(Pipfile\.lock|go\.sum|packages\.lock\.json|Package\.resolved)$/,
  /(^|\/)((GNU)?[Mm]akefile|[Jj]ustfile|Rakefile|Taskfile\.ya?ml|[^/]+\.mk)$/,
  /(^|\/)(jest|vitest|vite|playwright|cypress|karma|ava|wdio)\.config\.[^/]+$/,
  /(^|\/)(\.mocharc\.[^/]+|\.rspec|\.nycrc[^/]*|pytest\.ini|tox\.ini|noxfile\.py|conftest\.py|phpunit\.xml[^/]*)$/,
];

/** Changed files that may make a check pass without better work.
 *  @param commands of the checks, which name files
 *  @param packages paths of `package.json` whose scripts differ
 *  @returns their paths, in the order given */
export function tamperedPaths(
  files: readonly ChangedFile[],
  commands: readonly string[],
  packages: readonly string[],
): string[] {
  const named = new Set(commands.flatMap(namedFiles));
  const isTampered = (path: string, isNew: boolean) =>
    named.has(path) ||
    packages.includes(path) ||
    SETTINGS.some((pattern) => pattern.test(path)) ||
    (!isNew && TESTS.some((pattern) => pattern.test(path)));
  return files
    .filter(({ path, old_path, status }) => {
      const isNew = status === 'added' || status === 'untracked' || status === 'copied';
      return isTampered(path, isNew) || (old_path !== null && old_path !== path && isTampered(old_path, false));
    })
    .map(({ path }) => path);
}

/** Words of a command that may be paths. */
const namedFiles = (command: string): string[] =>
  command.split(/[\s'"`;&|()<>=]+/).map((word) => word.replace(/^(\.\/)+/, ''));

/** Whether two texts of a `package.json` run different scripts; what cannot be read counts as different. */
export function differInScripts(before: string | null, after: string | null): boolean {
  const [old, young] = [scriptsOf(before), scriptsOf(after)];
  return old === null || young === null || old !== young;
}

function scriptsOf(text: string | null): string | null {
  if (text === null) return JSON.stringify([]);
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return JSON.stringify(Object.entries(scripts ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return null;
  }
}
