import { spawnSync } from 'node:child_process';
import { absolute, aside, format } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';
import { inTurn, processRunning } from './start.mjs';

const RUNS = 40;
const WHAT = 'start_task_attempt sent → its process runs, SHELL, with bubblewrap against without, median';

/** What walls around a run cost at its start: two servers in turn, alike but for ISOLATION. */
export async function isolation(ground) {
  if (spawnSync('bwrap', ['--version']).status !== 0) return [aside(WHAT, 'not measured', 'bwrap is not installed')];
  const [none, bubblewrap] = [await loopWith(ground, 'none'), await loopWith(ground, 'bubblewrap')];
  const times = await inTurn(RUNS, { none: () => processRunning(none), bubblewrap: () => processRunning(bubblewrap) });
  return [
    absolute(
      WHAT,
      median(times.bubblewrap.map((elapsed, run) => elapsed - times.none[run])),
      'ms more',
      `${RUNS} pairs; without: ${format(median(times.none))} ms, with: ${format(median(times.bubblewrap))} ms`,
      { below: 15, times: medianRatio(times.bubblewrap, times.none) },
    ),
  ];
}

async function loopWith(ground, ISOLATION) {
  const server = await ground.server(await ground.database(), { ISOLATION });
  return Loop.open(server, makeRepository(ground.place('small'), 10));
}
