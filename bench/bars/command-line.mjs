import path from 'node:path';
import { absolute, aside, format } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { ownerSettings, untilSaid } from '../measure/command.mjs';
import { median } from '../measure/statistics.mjs';
import { inTurn } from './start.mjs';

const STARTS = 15;
const RUNS = 9;
const cli = path.join(import.meta.dirname, '../../dist/bundle/cli.js');
const byRest = path.join(import.meta.dirname, '../floors/run-by-rest.mjs');

/** How soon a command of `taskyard` begins, and shows the first line of what it has handed over. */
export async function commandLine(ground) {
  const server = await ground.server(await ground.database());
  const repository = makeRepository(ground.place('small'), 10);
  const { project_id, connection } = await Loop.open(server, repository);
  connection.close();
  const settings = ownerSettings(server.url);
  const starts = await inTurn(STARTS, {
    node: () => untilSaid(['-e', 'process.stdout.write("0")'], settings),
    version: () => untilSaid([cli, '--version'], settings),
    help: () => untilSaid([cli, '--help'], settings),
  });
  const shell = ['--executor', 'SHELL'];
  const lines = await inTurn(RUNS, {
    byRest: () => untilSaid([byRest, project_id, 'echo one'], settings),
    run: () => untilSaid([cli, 'run', 'echo one', '--watch', ...shell], settings, repository),
  });
  const node = median(starts.node);
  const [rest, run] = [Math.min(...lines.byRest), Math.min(...lines.run)];
  return [
    absolute(
      'taskyard --version, median',
      median(starts.version),
      'ms',
      `1.3 × node -e 0, ${format(node)} ms, + 60 ms`,
      {
        below: 1.3 * node + 60,
      },
    ),
    aside('taskyard --help, median', `${format(median(starts.help))} ms`),
    absolute(
      `taskyard run --watch shows its first line later than a process that uses REST alone, best of ${RUNS}`,
      run - rest,
      'ms',
      `by REST ${format(rest)} ms, by the command, which finds the project by its folder, ${format(run)} ms`,
      { below: 60 },
    ),
  ];
}
