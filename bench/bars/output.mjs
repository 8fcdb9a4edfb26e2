import { aside, absolute, format } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median } from '../measure/statistics.mjs';

const LINES = 100_000;
const ROUNDS = 3;
const MIB = 2 ** 20;

/** A flood of output: from the start of the run until every line is stored, then read back in order; and what the
 *  server's memory does meanwhile. */
export async function output(ground) {
  const server = await ground.server(await ground.database());
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  await flood(loop, 1_000); // first call of everything
  const before = await server.usage();
  const rounds = [];
  while (rounds.length < ROUNDS) rounds.push(await flood(loop, LINES));
  const after = await server.usage();
  const rate = (figure) => median(rounds.map((round) => LINES / round[figure]));
  const what = `${format(LINES)} lines of seq`;
  return [
    absolute(
      `${what}, from the call that starts the run to its end, stored`,
      rate('storedSeconds'),
      'lines/s',
      `${ROUNDS} runs, workspace and process included`,
      { above: 50_000 },
    ),
    aside(
      `${what}, read back in order over tail_attempt_logs`,
      `${format(rate('readSeconds'))} lines/s`,
      'pages of 1 000 entries, one client',
    ),
    absolute(
      'peak memory of the server beyond what it had before the floods',
      (after.peakRssBytes - before.rssBytes) / MIB,
      'MiB',
      `${format(before.rssBytes / MIB)} MiB before, storing and reading`,
      { below: 150 },
    ),
  ];
}

async function flood(loop, lines) {
  const task_id = await loop.task(`seq ${lines}`);
  const startedAt = performance.now();
  const { attempt_id } = await loop.start(task_id);
  const state = await loop.untilEnded(attempt_id);
  const storedAt = performance.now();
  await readInOrder(loop, attempt_id, lines);
  if (state !== 'completed') throw new Error(`seq ended as ${state}`);
  return { storedSeconds: (storedAt - startedAt) / 1_000, readSeconds: (performance.now() - storedAt) / 1_000 };
}

async function readInOrder(loop, attempt_id, lines) {
  let next = 1;
  for (let after = -1, has_more = true; has_more;) {
    const page = await loop.page(attempt_id, after);
    for (const { entry } of page.entries) {
      if (entry.type !== 'stdout') continue;
      if (entry.content !== String(next)) throw new Error(`line ${next} is ${JSON.stringify(entry.content)}`);
      next += 1;
    }
    ({ has_more, next_after_entry_index: after } = page);
  }
  if (next !== lines + 1) throw new Error(`${next - 1} of ${lines} lines were stored`);
}
