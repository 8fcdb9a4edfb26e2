import { aside, format, ratio } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { callTool, toolCall } from '../ground/tool-request.mjs';
import { Connection, postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** What the protocol adds to the SQL of one call, and to a POST that does nothing. */
export async function protocol(ground) {
  const url = await ground.database();
  const client = await ground.connect(url);
  const project_id = await fillProject(client, 'protocol', 1_000);
  const {
    rows: [{ id: task_id }],
  } = await client.query('SELECT id FROM tasks WHERE project_id = $1 ORDER BY number DESC LIMIT 1', [project_id]);
  const [server, floor] = await Promise.all([ground.server(url), ground.floorServer(url)]);
  await expectSameAnswer(server, floor, task_id);
  const call = toolCall('get_task', { task_id });
  const listed = await bytesListed(server);
  const slices = await interleave(
    {
      byHand: await httpSlice(floor, postRequest(`${floor.url}/get-task`, call)),
      server: await httpSlice(server, postRequest(`${server.url}/mcp`, call)),
      sdk: await httpSlice(floor, postRequest(`${floor.url}/sdk`, call)),
      bare: await httpSlice(floor, postRequest(`${floor.url}/bare/${listed}`, LIST)),
      list: await httpSlice(server, postRequest(`${server.url}/mcp`, LIST)),
    },
    { figure: 'cpuUs' },
  );
  return figures(slices, listed);
}

function figures(slices, listed) {
  const { cpu, rate, times } = tell(slices);
  return [
    ratio(
      'get_task, server CPU of a call',
      cpu('server'),
      `bare fastify POST with the same SQL by hand: ${cpu('byHand')}`,
      times('server', 'byHand', 'cpuUs'),
      { atMost: 2 },
    ),
    ratio(
      'get_task, calls a second (8 in flight)',
      `${rate('server')}, ${cpu('server')} CPU`,
      `SDK Server and transport for each request, same SQL: ${rate('sdk')}, ${cpu('sdk')} CPU`,
      times('server', 'sdk', 'perSecond'),
      { atLeast: 4.3 },
    ),
    aside(
      'the bare fastify POST, a statement a call, against the same',
      `${rate('byHand')}: ${times('byHand', 'sdk', 'perSecond').toFixed(2)} ×`,
      'client, server and database share its processors',
    ),
    ratio(
      'tools/list, server CPU of a call',
      cpu('list'),
      `bare fastify POST that answers as much, ${format(listed / 1_024)} KiB: ${cpu('bare')}`,
      times('list', 'bare', 'cpuUs'),
      { atMost: 2.5 },
    ),
  ];
}

/** Bytes of the list of tools: to write them costs any server. */
async function bytesListed({ url }) {
  const connection = await Connection.open(url);
  const answer = await connection.send(postRequest(`${url}/mcp`, LIST));
  connection.close();
  return Buffer.byteLength(answer);
}

async function expectSameAnswer(server, floor, task_id) {
  const connections = await Promise.all([server, floor].map(({ url }) => Connection.open(url)));
  const { task } = await callTool(connections[0], `${server.url}/mcp`, 'get_task', { task_id });
  const row = JSON.parse(
    await connections[1].send(postRequest(`${floor.url}/get-task`, toolCall('get_task', { task_id }))),
  );
  connections.forEach((connection) => connection.close());
  const isSame =
    task.task_id === row.id && task.description === row.description && task.latest_session_id === row.latest_session_id;
  if (!isSame) throw new Error(`get_task and its floor differ: ${JSON.stringify({ task, row })}`);
}
