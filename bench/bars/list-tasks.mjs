import { isDeepStrictEqual } from 'node:util';
import { aside, format, ratio } from '../figures.mjs';
import { listStatements } from '../floors/statements.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { callTool, toolCall } from '../ground/tool-request.mjs';
import { Connection, postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median } from '../measure/statistics.mjs';
import { tell } from '../slices.mjs';

const MANY = 100_000;
const FEW = 1_000;
const STATEMENTS = 50;
const ONE_CLIENT = { count: 200, inFlight: 1 };

/** A list of 50 tasks against its own SQL, on a board of many tasks and on one of few. */
export async function listTasks(ground) {
  const url = await ground.database();
  const client = await ground.connect(url);
  const [few, many] = [await fillProject(client, 'few', FEW), await fillProject(client, 'many', MANY)];
  const [server, floor] = await Promise.all([ground.server(url), ground.floorServer(url)]);
  await expectSameAnswer(server, floor, many);
  return [
    ...(await againstSql(server, floor, many)),
    ...(await onFewTasks(server, floor, few)),
    await withDeliveries(client, many),
  ];
}

/** What delivery_state and pr_url add to the statement, both planned once as the server's is. */
async function withDeliveries(client, project_id) {
  const { shown, without } = listStatements();
  await client.query('SET plan_cache_mode = force_generic_plan');
  const values = [project_id, null, Number.MAX_SAFE_INTEGER, 51, null];
  const slice = (name, text) => async () => {
    const latencies = [];
    while (latencies.length < STATEMENTS) {
      const startedAt = performance.now();
      await client.query({ name, text, values });
      latencies.push(performance.now() - startedAt);
    }
    return { latencyMs: median(latencies) };
  };
  const contenders = { without: slice('list-without', without), shown: slice('list-shown', shown) };
  const slices = await interleave(contenders, { figure: 'latencyMs' });
  const { p50, times } = tell(slices);
  return ratio(
    `the statement of list_tasks, 50 of ${format(MANY)}, with delivery_state and pr_url, p50`,
    p50('shown'),
    `the same without these columns: ${p50('without')}`,
    times('shown', 'without'),
    { atMost: 1.05 },
  );
}

async function againstSql(server, floor, project_id) {
  const call = toolCall('list_tasks', { project_id });
  const slices = await interleave(
    {
      byHand: await httpSlice(floor, postRequest(`${floor.url}/list-tasks`, call), ONE_CLIENT),
      server: await httpSlice(server, postRequest(`${server.url}/mcp`, call), ONE_CLIENT),
      sql: await sqlSlice(floor, project_id, ONE_CLIENT.count),
    },
    { figure: 'cpuUs' },
  );
  const { p50, cpu, times } = tell(slices);
  const board = `list_tasks, 50 of ${format(MANY)} tasks with ${format(3 * MANY)} attempts`;
  return [
    ratio(
      `${board}, p50`,
      p50('server'),
      `bare fastify POST with hand-written SQL: ${p50('byHand')}`,
      times('server', 'byHand'),
      { atMost: 1.3 },
    ),
    ratio(
      `${board}, server CPU of a call`,
      cpu('server'),
      `bare fastify POST with hand-written SQL: ${cpu('byHand')}`,
      times('server', 'byHand', 'cpuUs'),
      { atMost: 1.3 },
    ),
    aside(
      'the same against the hand-written SQL alone, without HTTP and JSON',
      `p50 ${times('server', 'sql').toFixed(2)} ×, CPU ${times('server', 'sql', 'cpuUs').toFixed(2)} ×`,
      `pg alone: ${p50('sql')}, ${cpu('sql')}`,
    ),
  ];
}

async function onFewTasks(server, floor, project_id) {
  const call = toolCall('list_tasks', { project_id });
  const requests = [postRequest(`${floor.url}/list-tasks`, call), postRequest(`${server.url}/mcp`, call)];
  const alone = await interleave(
    {
      byHand: await httpSlice(floor, requests[0], ONE_CLIENT),
      server: await httpSlice(server, requests[1], ONE_CLIENT),
    },
    { figure: 'latencyMs' },
  );
  const together = await interleave(
    { byHand: await httpSlice(floor, requests[0]), server: await httpSlice(server, requests[1]) },
    { figure: 'perSecond' },
  );
  const { p50, times } = tell(alone);
  const { rate, times: timesTogether } = tell(together);
  const floorName = 'bare fastify POST with hand-written SQL';
  return [
    ratio(
      `list_tasks, 50 of ${format(FEW)}, p50 at one client`,
      p50('server'),
      `${floorName}: ${p50('byHand')}`,
      times('server', 'byHand'),
      { atMost: 1.3 },
    ),
    ratio(
      `list_tasks, 50 of ${format(FEW)}, calls a second at 8 in flight`,
      rate('server'),
      `${floorName}: ${rate('byHand')}`,
      timesTogether('server', 'byHand', 'perSecond'),
      { atLeast: 0.65 },
    ),
  ];
}

/** The statement in a loop inside the floor server. */
async function sqlSlice(floor, project_id, count) {
  const connection = await Connection.open(floor.url);
  const request = postRequest(`${floor.url}/list-tasks-sql`, { project_id, count });
  return async () => {
    const before = await floor.usage();
    const latencies = JSON.parse(await connection.send(request));
    const after = await floor.usage();
    return { cpuUs: (after.cpuUs - before.cpuUs) / count, latencyMs: median(latencies) };
  };
}

async function expectSameAnswer(server, floor, project_id) {
  const connections = await Promise.all([server, floor].map(({ url }) => Connection.open(url)));
  const { tasks } = await callTool(connections[0], `${server.url}/mcp`, 'list_tasks', { project_id });
  const rows = JSON.parse(
    await connections[1].send(postRequest(`${floor.url}/list-tasks`, toolCall('list_tasks', { project_id }))),
  );
  connections.forEach((connection) => connection.close());
  const byHand = rows.slice(0, 50).map(({ id, number, ...row }) => ({ task_id: id, ...row }));
  if (tasks.length !== 50 || !isDeepStrictEqual(tasks, byHand))
    throw new Error(`list_tasks and its floor differ: ${JSON.stringify({ tool: tasks[0], byHand: byHand[0] })}`);
}
