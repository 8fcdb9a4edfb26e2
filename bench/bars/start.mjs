import { absolute } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median } from '../measure/statistics.mjs';

const RUNS = 20;
const LARGE_RUNS = 8;
const LARGE = 20_000;

/** How soon a run answers, and says its first word. */
export async function start(ground) {
  const server = await ground.server(await ground.database());
  const small = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const firstLines = await each(RUNS, () => firstLine(small));
  const running = await each(RUNS, () => processRunning(small));
  const large = await Loop.open(server, makeRepository(ground.place('large'), LARGE));
  const answers = await each(LARGE_RUNS, () => answerOnly(large));
  return [
    absolute(
      'start_task_attempt answered → first line readable, SHELL, small repository, median',
      median(firstLines),
      'ms',
      `${RUNS} runs, ${range(firstLines)}`,
      { below: 150 },
    ),
    absolute(
      'start_task_attempt sent → its process runs, SHELL, small repository, median',
      median(running),
      'ms',
      `${RUNS} runs, ${range(running)}; the process tells its own time`,
      { below: 60 },
    ),
    absolute(
      `start_task_attempt until its answer, repository of ${LARGE} files, median`,
      median(answers),
      'ms',
      `${LARGE_RUNS} runs, ${range(answers)}`,
      { below: 60 },
    ),
  ];
}

async function firstLine(loop) {
  const { attempt_id } = await loop.start(await loop.task('echo first'));
  const answeredAt = performance.now();
  await loop.firstLine(attempt_id);
  const elapsed = performance.now() - answeredAt;
  await loop.untilEnded(attempt_id);
  return elapsed;
}

/** bash is up before it can look at the clock, so this is an upper bound. */
async function processRunning(loop) {
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

/** One after another; the first is a warm-up. */
async function each(runs, measure) {
  await measure();
  const all = [];
  while (all.length < runs) all.push(await measure());
  return all;
}

const range = (values) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)} ms`;
