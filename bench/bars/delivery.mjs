import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gitEnvironment } from '../../dist/src/config/child-environment.js';
import { Git } from '../../dist/src/git/git.js';
import { previewMerge } from '../../dist/src/git/merge-preview.js';
import { format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { git, makeRepository, worktreeOf } from '../ground/repositories.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const FILES = 20_000;
const run = promisify(execFile);
const WORK = 'for n in $(seq 0 59); do echo more >> folder-$n/file-$((n * 100)).txt; done';

/** A preview, a look at a delivery, and a merge with its undo, against the git commands that each cannot do without. */
export async function delivery(ground) {
  const server = await ground.server(await ground.database());
  const repository = makeRepository(ground.place('repository'), FILES);
  const loop = await Loop.open(server, repository);
  git(repository, 'checkout', '-b', 'elsewhere');
  const { attempt_id } = await loop.start(await loop.task(WORK));
  await loop.untilEnded(attempt_id);
  const tree = worktreeOf(server, attempt_id);
  const byHand = new ByHand(repository, tree);
  await byHand.git(tree, 'add', '--all');
  await byHand.git(tree, 'commit', '--quiet', '--message', 'work');
  const preview = await previewAgainstMergeTree(repository, byHand);
  const slices = await interleave(
    {
      lookByHand: () => timed(() => byHand.look()),
      look: () => timed(() => loop.call('get_attempt_delivery', { attempt_id })),
      mergeByHand: () =>
        timed(
          () => byHand.merge(),
          () => byHand.undo(),
        ),
      merge: () =>
        timed(
          () => loop.call('merge_attempt', { attempt_id }),
          () => undo(loop, attempt_id),
        ),
    },
    { figure: 'latencyMs', min: 8, max: 16, warmUp: 4 },
  );
  const { p50, times } = tell(slices);
  return [
    preview,
    ratio(
      `get_attempt_delivery, 60 of ${format(FILES)} files, p50`,
      p50('look'),
      `its git commands, preview and all: ${p50('lookByHand')}`,
      times('look', 'lookByHand'),
      { atMost: 1.5 },
    ),
    ratio(
      `merge_attempt, squash, 60 of ${format(FILES)} files, p50`,
      p50('merge'),
      `its git commands: ${p50('mergeByHand')}`,
      times('merge', 'mergeByHand'),
      { atMost: 2 },
    ),
  ];
}

/** What a person would type. */
class ByHand {
  constructor(repository, tree) {
    Object.assign(this, { repository, tree });
  }

  async git(cwd, ...args) {
    const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost'];
    return (await run('git', [...identity, ...args], { cwd })).stdout.trim();
  }

  async look() {
    const [main, head] = await Promise.all([this.git(this.repository, 'rev-parse', 'main'), this.head()]);
    const [, , merge] = await Promise.all([
      this.git(this.tree, 'status', '--porcelain', '-z'),
      this.git(this.tree, 'rev-list', '--left-right', '--count', `${main}...${head}`),
      this.mergeTree(head, main),
    ]);
    return { main, head, tree: merge.split('\0')[0] };
  }

  mergeTree(head, main) {
    return this.git(this.tree, 'merge-tree', '--write-tree', '-z', '--messages', head, main);
  }

  /** Looks before, as anybody does; the branch then stands on what has landed. */
  async merge() {
    await this.git(this.tree, 'add', '--all');
    const { main, head, tree } = await this.look();
    const commit = await this.git(this.tree, 'commit-tree', tree, '-p', main, '-m', 'work');
    const lease = `--force-with-lease=main:${main}`;
    await this.git(this.tree, 'push', '--quiet', lease, this.repository, `${commit}:refs/heads/main`);
    await this.git(this.tree, 'reset', '--keep', '--quiet', commit);
    Object.assign(this, { main, before: head });
  }

  async undo() {
    await this.git(this.repository, 'update-ref', 'refs/heads/main', this.main);
    await this.git(this.tree, 'reset', '--keep', '--quiet', this.before);
  }

  head() {
    return this.git(this.tree, 'rev-parse', 'HEAD');
  }
}

const undo = (loop, attempt_id) => loop.call('merge_attempt', { attempt_id, action: 'undo' });

/** In one process with the bench, as the server has it in its own. */
async function previewAgainstMergeTree(repository, byHand) {
  const own = new Git(gitEnvironment());
  const [head, main] = await Promise.all([byHand.head(), byHand.git(repository, 'rev-parse', 'main')]);
  const slices = await interleave(
    {
      byHand: () => timed(() => byHand.mergeTree(head, main)),
      preview: () => timed(() => previewMerge(own, byHand.tree, head, main)),
    },
    { figure: 'latencyMs' },
  );
  const { p50, times } = tell(slices);
  return ratio(
    `preview of a merge, 60 of ${format(FILES)} files, p50`,
    p50('preview'),
    `git merge-tree alone: ${p50('byHand')}`,
    times('preview', 'byHand'),
    { atMost: 1.5 },
  );
}

async function timed(action, after = () => undefined) {
  const startedAt = performance.now();
  await action();
  const latencyMs = performance.now() - startedAt;
  await after();
  return { latencyMs };
}
