import { aside, format, ratio } from '../figures.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';

const AGAIN = 5;

/** The server with its embedded database: the very first start, and every later one on the same DATA_DIR. */
export async function boot(ground) {
  const data = ground.place('boot');
  const first = await startAndStop(() => ground.embeddedServer(data));
  const url = await ground.database();
  const again = [];
  const floors = [];
  while (again.length < AGAIN) {
    floors.push(await startAndStop(() => ground.floorServer(url)));
    again.push(await startAndStop(() => ground.embeddedServer(data)));
  }
  return [
    aside('first start on an empty DATA_DIR, database made and migrated', `${first.toFixed(0)} ms`),
    ratio(
      `start again, with the embedded database, median of ${AGAIN}`,
      `${format(median(again))} ms`,
      `a bare fastify with pg and the SDK starts, its database up: ${format(median(floors))} ms`,
      medianRatio(again, floors),
      { atMost: 6 },
    ),
  ];
}

async function startAndStop(start) {
  const server = await start();
  await server.stop();
  return server.startMs;
}
