import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { absolute, format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { git, makeRepository } from '../ground/repositories.mjs';
import { asOwner } from '../measure/connection.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';
import { tell } from '../slices.mjs';
import { inTurn } from './start.mjs';

const run = promisify(execFile);
const FILES = 5_000;
const STARTS = 12;
const ATTEMPTS = 20;
const PLACES = 8;
const WORK_SECS = 2;

/** How soon a check runs, what checks add to many attempts at once, and to a merge. */
export async function checks(ground) {
  const server = await ground.server(await ground.database(), { MAX_CONCURRENT_EXECUTIONS: String(PLACES) });
  const repository = makeRepository(ground.place('repository'), FILES);
  const trees = ground.place('trees');
  return [
    ...(await starts(server, repository, trees)),
    await places(server, repository, trees),
    await merges(server, repository),
  ];
}

async function starts(server, repository, trees) {
  const loop = await CheckedLoop.open(server, repository);
  await loop.checkBy('echo $EPOCHREALTIME', { checks: 'warn', check_on: 'request' });
  const { attempt_id } = await loop.start(await loop.task('echo new > new.txt'));
  await loop.untilEnded(attempt_id);
  const { byHand, check } = await inTurn(STARTS, {
    byHand: () => sinceSent(async () => byHandIn(await treeByHand(repository, trees), 'echo $EPOCHREALTIME')),
    check: () => sinceSent(() => loop.checkAnew(attempt_id)),
  });
  const floor = `git worktree add and bash by hand: ${format(median(byHand))} ms`;
  const more = median(check) - median(byHand);
  return [
    ratio(
      `a check is asked for → its command runs, repository of ${format(FILES)} files, median`,
      `${format(median(check))} ms`,
      floor,
      medianRatio(check, byHand),
      { atMost: 1.5 },
    ),
    absolute('the same, beyond a checkout by hand', more, 'ms', floor, { below: 60 }),
  ];
}

/** So many attempts at once, each with a check of its work. */
async function places(server, repository, trees) {
  const loop = await CheckedLoop.open(server, repository);
  await loop.checkBy(`sleep ${WORK_SECS}`, { checks: 'block', check_on: 'turn_end' });
  const all = Array.from({ length: ATTEMPTS });
  const tasks = [];
  for (const _ of all) tasks.push(await loop.task(`sleep ${WORK_SECS}; echo new > new.txt`));
  const checked = async (task_id) => {
    const { attempt_id } = await loop.rest('POST', `/api/tasks/${task_id}/attempts`, { executor: 'SHELL' });
    await loop.untilChecked(attempt_id);
  };
  const byServer = await timeOf(() => Promise.all(tasks.map(checked)));
  const left = [...all.keys()];
  const place = async () => {
    while (left.pop() !== undefined) {
      await byHandIn(await treeByHand(repository, trees), `sleep ${WORK_SECS}; echo new > new.txt`);
      const checkout = await treeByHand(repository, trees);
      await byHandIn(checkout, `sleep ${WORK_SECS}`);
      await rm(checkout, { recursive: true });
    }
  };
  const byHand = await timeOf(() => Promise.all(Array.from({ length: PLACES }, place)));
  return ratio(
    `${ATTEMPTS} attempts with checks on ${PLACES} places, run and check of ${WORK_SECS} s each`,
    `${format(byServer / 1e3)} s`,
    `the same by hand in so many places: ${format(byHand / 1e3)} s`,
    byServer / byHand,
    { atMost: 1.3 },
  );
}

async function merges(server, repository) {
  const [checked, free] = [await CheckedLoop.open(server, repository), await CheckedLoop.open(server, repository)];
  await checked.checkBy('true', { checks: 'block', check_on: 'turn_end' });
  const ended = async (loop) => (await loop.start(await loop.task('echo new > new.txt'))).attempt_id;
  const [one, other] = [await ended(checked), await ended(free)];
  await checked.untilChecked(one);
  await free.untilEnded(other);
  const merge = (loop, attempt_id) => async () => {
    // Of this strategy the branch stays what was checked, when the merge is undone.
    const latencyMs = await timeOf(() => loop.call('merge_attempt', { attempt_id, strategy: 'merge' }));
    await loop.call('merge_attempt', { attempt_id, action: 'undo' });
    return { latencyMs };
  };
  const contenders = { checked: merge(checked, one), free: merge(free, other) };
  const { p50, times } = tell(await interleave(contenders, { figure: 'latencyMs', min: 12, max: 24, warmUp: 4 }));
  return ratio(
    `merge_attempt of work that has passed its checks, ${format(FILES)} files, p50`,
    p50('checked'),
    `of a project without checks: ${p50('free')}`,
    times('checked', 'free'),
    { atMost: 1.1 },
  );
}

class CheckedLoop extends Loop {
  static async open(server, repository) {
    // Its target is what is checked out as it is made, and nobody works on that later.
    git(repository, 'checkout', '--quiet', 'main');
    const { url, project_id, connection } = await Loop.open(server, repository);
    git(repository, 'checkout', '--quiet', '-B', 'elsewhere');
    return new CheckedLoop(url, project_id, connection);
  }

  async rest(method, place, body) {
    const headers = asOwner(this.url, { 'content-type': 'application/json' });
    const answer = await fetch(this.url + place, { method, headers, body: body && JSON.stringify(body) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${place}: ${JSON.stringify(said)}`);
    return said;
  }

  async checkBy(command, policy) {
    const place = `/api/projects/${this.project_id}`;
    await this.rest('PUT', place, policy);
    const { repos } = await this.rest('GET', `${place}/repos`);
    await this.rest('PUT', `${place}/repos/${repos[0].repo_id}/checks`, { checks: [{ name: 'check', command }] });
  }

  /** @returns what its command wrote */
  async checkAnew(attempt_id) {
    const { checks } = await this.rest('POST', `/api/attempts/${attempt_id}/checks`, { wait_ms: 20_000 });
    const place = `/api/executions/${checks[0].execution_process_id}/log.txt`;
    const log = await (await fetch(this.url + place, { headers: asOwner(this.url) })).text();
    return /^\d+\.\d+$/m.exec(log)[0];
  }

  async untilChecked(attempt_id) {
    for (;;) {
      const { checks_state } = await this.rest('GET', `/api/attempts/${attempt_id}`);
      if (checks_state === 'passed') return;
      if (['failed', 'errored', 'stale'].includes(checks_state)) throw new Error(`its checks are ${checks_state}`);
      await wait(250);
    }
  }
}

let number = 0;
/** One after the other: git reads what another one is just writing, and fails. */
let adding = Promise.resolve();
/** @returns a new worktree */
async function treeByHand(repository, trees) {
  const tree = path.join(trees, String((number += 1)));
  adding = adding.then(() => run('git', ['worktree', 'add', '--quiet', '--detach', tree, 'main'], { cwd: repository }));
  await adding;
  return tree;
}

/** @returns what a command wrote */
const byHandIn = async (cwd, command) => (await run('bash', ['-c', command], { cwd })).stdout;

/** Milliseconds until a command looked at the clock: it is up before it can, so this is an upper bound. */
async function sinceSent(act) {
  const sentAt = performance.timeOrigin + performance.now();
  return Number(await act()) * 1e3 - sentAt;
}

async function timeOf(act) {
  const since = performance.now();
  await act();
  return performance.now() - since;
}
