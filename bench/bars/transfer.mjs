import { createReadStream, createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { absolute, aside, format } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { asOwner } from '../measure/connection.mjs';

const TASKS = 100_000;
const WORKED_AT = 10_000;
const MIB = 2 ** 20;

/** Projects of many tasks, written down by one server and taken in by another. */
export async function transfer(ground) {
  const alone = await move(ground, { tasks: TASKS, attempts: 0 });
  const worked = await move(ground, { tasks: WORKED_AT, attempts: 1 });
  const what = `${format(TASKS)} tasks`;
  const history = `${format(WORKED_AT)} tasks with an attempt, session and turn of each`;
  return [
    absolute(
      `${what} exported`,
      alone.exported.seconds,
      's',
      `${format(alone.bytes / MIB)} MiB of lines; ${alone.exported.cpu}`,
      {
        below: 30,
      },
    ),
    absolute(`${what} imported`, alone.imported.seconds, 's', alone.imported.cpu, { below: 90 }),
    memory('exporting', alone.exported),
    memory('importing', alone.imported),
    aside(`${history}, exported`, `${format(worked.exported.seconds)} s`),
    aside(`${history}, imported`, `${format(worked.imported.seconds)} s`),
  ];
}

const memory = (doing, { aboveMiB }) =>
  absolute(`peak memory of the server beyond that at rest, ${doing} them`, aboveMiB, 'MiB', '', { below: 200 });

async function move(ground, { tasks, attempts }) {
  const [from, to] = [await ground.database(), await ground.database()];
  const project_id = await fillProject(await ground.connect(from), 'moved', tasks, attempts);
  const file = path.join(ground.place('export'), 'moved.ndjson');
  const source = await ground.server(from);
  const exported = await measured(source, () => save(`${source.url}/api/projects/${project_id}/export`, file));
  await source.stop();
  const target = await ground.server(to);
  const imported = await measured(target, () => send(`${target.url}/api/imports`, file, tasks));
  await target.stop();
  return { exported, imported, bytes: statSync(file).size };
}

/** @returns seconds, CPU of the server, and the peak of its memory beyond what it had before */
async function measured(server, work) {
  const before = await server.usage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { cpuUs, peakRssBytes } = await server.usage();
  return {
    seconds,
    cpu: `server CPU ${format((cpuUs - before.cpuUs) / 1e6)} s`,
    aboveMiB: (peakRssBytes - before.rssBytes) / MIB,
  };
}

async function save(url, file) {
  const answer = await fetch(url, { headers: asOwner(url) });
  if (!answer.ok) throw new Error(await answer.text());
  await pipeline(answer.body, createWriteStream(file));
}

async function send(url, file, tasks) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: asOwner(url, { 'content-type': 'application/x-ndjson' }),
    body: createReadStream(file),
    duplex: 'half',
  });
  const { created } = await answer.json();
  if (created?.task !== tasks) throw new Error(`${created?.task} of ${tasks} tasks came in`);
}
