import path from 'node:path';
import { format, ratio } from '../figures.mjs';
import { attemptByHand } from '../floors/attempt-by-hand.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';

const RUNS = 20;
const LARGE_RUNS = 8;
const LARGE = 20_000;

/** How soon an attempt answers, runs, and says its first word. */
export async function start(ground) {
  const server = await ground.server(await ground.database());
  const repository = makeRepository(ground.place('small'), 10);
  const small = await Loop.open(server, repository);
  const large = await Loop.open(server, makeRepository(ground.place('large'), LARGE));
  const trees = ground.place('trees');
  let number = 0;
  const words = await inTurn(RUNS, {
    byHand: () => attemptByHand(repository, path.join(trees, String(number)), `by-hand-${(number += 1)}`),
    firstLine: () => firstLine(small),
    running: () => processRunning(small),
  });
  const answers = await inTurn(LARGE_RUNS, { small: () => answerOnly(small), large: () => answerOnly(large) });
  const floor = `git worktree add and bash by hand: ${ms(words.byHand)}`;
  return [
    ratio(
      'start_task_attempt sent → first line readable, SHELL, small repository, median',
      `${ms(words.firstLine)}, ${range(words.firstLine)}`,
      floor,
      medianRatio(words.firstLine, words.byHand),
      { atMost: 5 },
    ),
    ratio(
      'start_task_attempt sent → its process runs, SHELL, small repository, median',
      `${ms(words.running)}, ${range(words.running)}; the process tells its own time`,
      floor,
      medianRatio(words.running, words.byHand),
      { atMost: 4 },
    ),
    ratio(
      `start_task_attempt until its answer, repository of ${LARGE} files, median`,
      `${ms(answers.large)}, ${range(answers.large)}`,
      `the same in a repository of 10 files: ${ms(answers.small)}`,
      medianRatio(answers.large, answers.small),
      { atMost: 1.5 },
    ),
  ];
}

async function firstLine(loop) {
  const task_id = await loop.task('echo first');
  const sentAt = performance.now();
  const { attempt_id } = await loop.start(task_id);
  await loop.firstLine(attempt_id);
  const elapsed = performance.now() - sentAt;
  await loop.untilEnded(attempt_id);
  return elapsed;
}

/** bash is up before it can look at the clock, so this is an upper bound. */
export async function processRunning(loop) {
  const task_id = await loop.task('echo $EPOCHREALTIME');
  const sentAt = performance.timeOrigin + performance.now();
  const { attempt_id } = await loop.start(task_id);
  const startedAt = Number(await loop.firstLine(attempt_id)) * 1e3;
  await loop.untilEnded(attempt_id);
  return startedAt - sentAt;
}

async function answerOnly(loop) {
  const task_id = await loop.task('true');
  const sentAt = performance.now();
  const { attempt_id } = await loop.start(task_id);
  const elapsed = performance.now() - sentAt;
  await loop.untilEnded(attempt_id);
  return elapsed;
}

/** One after another and in turn, so that a busy moment weighs on all; the first round is a warm-up. */
export async function inTurn(runs, contenders) {
  const all = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= runs; round += 1)
    for (const [name, measure] of Object.entries(contenders)) {
      const elapsed = await measure();
      if (round > 0) all[name].push(elapsed);
    }
  return all;
}

const ms = (values) => `${format(median(values))} ms`;
const range = (values) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)} ms`;
