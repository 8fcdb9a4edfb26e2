import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { git, makeRepository, worktreeOf } from '../ground/repositories.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const FILES = 5_000;
const run = promisify(execFile);
const COMMANDS = [
  ['diff', '--raw', '--numstat', '-z', '--no-abbrev', '-M', '-l1000', '--no-ext-diff', '--no-textconv'],
  ['ls-files', '--others', '-z', '--exclude-standard'],
];
const WORK =
  'for n in $(seq 0 99); do echo more >> folder-$n/file-$((n * 100)).txt; ' +
  'echo new > folder-$n/new.txt; done 2>/dev/null; true';

/** get_attempt_changes against the two git commands it cannot do without, started together. */
export async function changes(ground) {
  const server = await ground.server(await ground.database());
  const repository = makeRepository(ground.place('repository'), FILES);
  const loop = await Loop.open(server, repository);
  const { attempt_id } = await loop.start(await loop.task(WORK));
  await loop.untilEnded(attempt_id);
  const tree = worktreeOf(server, attempt_id);
  const base = git(repository, 'rev-parse', 'main').trim();
  const found = await loop.call('get_attempt_changes', { attempt_id });
  if (found.files.length !== 100) throw new Error(`${found.files.length} changed files`);
  const slices = await interleave(
    {
      git: () =>
        timed(() =>
          Promise.all(
            COMMANDS.map(([name, ...options]) =>
              run('git', name === 'diff' ? [name, ...options, base, '--'] : [name, ...options], { cwd: tree }),
            ),
          ),
        ),
      server: () => timed(() => loop.call('get_attempt_changes', { attempt_id })),
    },
    { figure: 'latencyMs' },
  );
  const { p50, times } = tell(slices);
  return [
    ratio(
      `get_attempt_changes, 100 changed of ${format(FILES)} files, p50`,
      p50('server'),
      `its two git commands side by side: ${p50('git')}`,
      times('server', 'git'),
      { atMost: 1.3 },
    ),
  ];
}

async function timed(action) {
  const startedAt = performance.now();
  await action();
  return { latencyMs: performance.now() - startedAt };
}
