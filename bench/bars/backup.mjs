import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { absolute, aside, format } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { command, ownerSettings } from '../measure/command.mjs';

const TASKS = 100_000;
const WORKS = 400;
const WRITERS = ['a', 'b', 'c', 'd'];
const MIB = 2 ** 20;
const SAVE = `
INSERT INTO workspace_snapshots (attempt_id, repo_name, base_commit, head, bundle, bytes, is_too_large, fingerprint,
  saved_by, saved_at)
SELECT id, 'web-shop', repeat('a', 40), repeat('b', 40), $2::bytea, length($2::bytea), false, id::text, 'bench', now()
FROM attempts ORDER BY number OFFSET $1 LIMIT 1`;

/** All of a server with many tasks and much saved work, into one file while others write, and out of that file. */
export async function backup(ground) {
  const [from, to] = [await ground.database(), await ground.database()];
  await saveWorks(await ground.connect(from));
  const file = path.join(ground.place('backup'), 'all.tar.gz');
  const server = await ground.server(from);
  const { rssBytes } = await server.usage();
  const written = await whileOthersWrite(ground, server, () => command(['backup', file], ownerSettings(server.url)));
  const { peakRssBytes } = await server.usage();
  await server.stop();
  const restored = await command(['restore', file], { DATABASE_URL: to, DATA_DIR: ground.place('restored') });
  const before = await countPrefixes(await ground.connect(to));
  const what = `${format(TASKS)} tasks, an attempt of each and ${WORKS} MiB of saved work`;
  const size = `a file of ${format(statSync(file).size / MIB)} MiB`;
  const beside = `${WRITERS.length} writers beside it: ${before} of their tasks are in it, none without those before`;
  return [
    aside(`${what}, taskyard backup`, `${format(written.seconds)} s`, `${size}; ${beside}`),
    absolute('peak memory of the server beyond that at rest meanwhile', (peakRssBytes - rssBytes) / MIB, 'MiB', '', {
      below: 200,
    }),
    aside('the same, taskyard restore', `${format(restored.seconds)} s`, 'into an empty database'),
    absolute('peak memory of taskyard restore', restored.peakRssBytes / MIB, 'MiB', 'the whole process', {
      below: 300,
    }),
  ];
}

/** A row a statement: as packs, they do not compress. */
async function saveWorks(client) {
  await fillProject(client, 'kept', TASKS, 1);
  for (let at = 0; at < WORKS; at += 1) await client.query(SAVE, [at, randomBytes(MIB)]);
}

async function whileOthersWrite(ground, server, work) {
  const repository = makeRepository(ground.place('small'), 10);
  let isOver = false;
  const write = async (writer) => {
    const loop = await Loop.open(server, repository);
    for (let at = 1; !isOver; at += 1)
      await loop.call('create_task', { project_id: loop.project_id, title: `${writer} ${at}` });
  };
  const writing = WRITERS.map(write);
  await wait(1_000); // some have written before
  const done = await work();
  isOver = true;
  await Promise.all(writing);
  return done;
}

/** @returns how many tasks of all writers there are. @throws where one of a writer is missing before another */
async function countPrefixes(client) {
  let count = 0;
  for (const writer of WRITERS) {
    const { rows } = await client.query('SELECT title FROM tasks WHERE title LIKE $1 ORDER BY number', [`${writer} %`]);
    const gap = rows.findIndex(({ title }, at) => title !== `${writer} ${at + 1}`);
    if (gap >= 0 || rows.length === 0) throw new Error(`of writer ${writer} task ${gap + 1} is not where it should be`);
    count += rows.length;
  }
  return count;
}
