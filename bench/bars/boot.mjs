import { absolute, aside } from '../figures.mjs';
import { median } from '../measure/statistics.mjs';

const AGAIN = 5;

/** The server with its embedded database: the very first start, and every later one on the same DATA_DIR. */
export async function boot(ground) {
  const data = ground.place('boot');
  const first = await startAndStop(ground, data);
  const again = [];
  while (again.length < AGAIN) again.push(await startAndStop(ground, data));
  return [
    aside('first start on an empty DATA_DIR, database made and migrated', `${first.toFixed(0)} ms`),
    absolute('start again, median', median(again), 'ms', `${AGAIN} starts, embedded database, build present`, {
      below: 5_000,
    }),
  ];
}

async function startAndStop(ground, data) {
  const server = await ground.embeddedServer(data);
  await server.stop();
  return server.startMs;
}
