import { aside, format, ratio } from '../figures.mjs';
import { fillTasks } from '../ground/board-data.mjs';
import { callTool, toolCall } from '../ground/tool-request.mjs';
import { Connection, postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const MANY = 1_000_000;
const FEW = 1_000;
const PAGE = 100;
const ONE_CLIENT = { count: 5, inFlight: 1 };
/** One in five tasks is in each stage. */
const FILTERS = {
  none: {},
  stage: { status: 'APPLY' },
  project: { project_id: 'board' },
  deleted: { include_deleted: true },
};
const OFFSETS = { first: () => 0, middle: (count) => count / 2, last: (count) => count - PAGE };

/** Colibri's task_list on a board of a million tasks against the same on a thousand, each filter at each offset. */
export async function taskList(ground) {
  const [few, many] = [await board(ground, FEW), await board(ground, MANY)];
  const figures = [];
  for (const [filter, by] of Object.entries(FILTERS))
    for (const [place, at] of Object.entries(OFFSETS)) {
      const share = filter === 'stage' ? 0.2 : 1;
      const args = ({ tasks }) => ({ ...by, limit: PAGE, offset: Math.max(0, at(tasks * share)) });
      figures.push({ filter, place, ...(await compare(few, many, args)) });
    }
  const worst = figures.reduce((one, other) => (other.value > one.value ? other : one));
  return [
    ratio(
      `task_list of Colibri, board of ${format(MANY)} tasks, the slowest of ${figures.length} filters and offsets, p50`,
      `${format(worst.manyMs)} ms (filter ${worst.filter}, ${worst.place} page)`,
      `the same on ${format(FEW)} tasks: ${format(worst.fewMs)} ms`,
      worst.value,
      { atMost: 3 },
    ),
    ...figures.map(({ filter, place, manyMs, fewMs, value }) =>
      aside(`filter ${filter}, ${place} page`, `${format(manyMs)} ms: ${value.toFixed(2)} ×`, `${format(fewMs)} ms`),
    ),
  ];
}

async function board(ground, tasks) {
  const url = await ground.database();
  await fillTasks(await ground.connect(url), 'board', tasks);
  const server = await ground.server(url);
  await expectTotal(server, tasks);
  return { server, tasks };
}

async function compare(few, many, args) {
  const slice = (board) =>
    httpSlice(
      board.server,
      postRequest(`${board.server.url}/mcp/colibri`, toolCall('task_list', args(board))),
      ONE_CLIENT,
    );
  const slices = await interleave(
    { few: await slice(few), many: await slice(many) },
    { figure: 'latencyMs', min: 6, max: 12, warmUp: 3 },
  );
  const { medianOf, times } = tell(slices);
  return { fewMs: medianOf('few', 'latencyMs'), manyMs: medianOf('many', 'latencyMs'), value: times('many', 'few') };
}

/** A count that is kept must know of rows that SQL has seeded, or the comparison would flatter. */
async function expectTotal({ url }, tasks) {
  const connection = await Connection.open(url);
  const { data } = await callTool(connection, `${url}/mcp/colibri`, 'task_list', { limit: 1 });
  connection.close();
  if (data.total_count !== tasks) throw new Error(`task_list counts ${data.total_count} of ${tasks} tasks`);
}
