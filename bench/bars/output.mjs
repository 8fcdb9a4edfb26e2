import { aside, format, ratio } from '../figures.mjs';
import { outputByHand } from '../floors/output-by-hand.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';

const LINES = 100_000;
const ROUNDS = 3;
const MIB = 2 ** 20;

/** A flood of output: from the start of the run until every line is stored, then read back in order; and what the
 *  server's memory does meanwhile. */
export async function output(ground) {
  const database = await ground.database();
  const server = await ground.server(database);
  const client = await ground.connect(database);
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  await flood(loop, 1_000); // first call of everything
  await outputByHand(client, 0, 1_000);
  const before = await server.usage();
  const [rounds, byHand] = [[], []];
  while (rounds.length < ROUNDS) {
    byHand.push(await outputByHand(client, rounds.length + 1, LINES));
    rounds.push(await flood(loop, LINES));
  }
  const after = await server.usage();
  const rate = (seconds) => `${format(LINES / median(seconds))} lines/s`;
  const [stored, read] = [
    rounds.map(({ storedSeconds }) => storedSeconds),
    rounds.map(({ readSeconds }) => readSeconds),
  ];
  const what = `${format(LINES)} lines of seq`;
  return [
    ratio(
      `${what}, from the call that starts the run to its end, stored`,
      rate(stored),
      `read by lines and stored by hand: ${rate(byHand)}`,
      medianRatio(stored, byHand),
      { atMost: 4 },
    ),
    aside(`${what}, read back in order over tail_attempt_logs`, rate(read), 'pages of 1 000 entries, one client'),
    ratio(
      'peak memory of the server, storing and reading the floods',
      `${format(after.peakRssBytes / MIB)} MiB`,
      `the same server before them: ${format(before.rssBytes / MIB)} MiB`,
      after.peakRssBytes / before.rssBytes,
      { atMost: 2 },
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
