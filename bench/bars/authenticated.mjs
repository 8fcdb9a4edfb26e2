import { absolute, format } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { toolCall } from '../ground/tool-request.mjs';
import { postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';

/** What a service token adds to a call: it is verified once a minute, and found by its digest in between. */
export async function authenticated(ground) {
  const url = await ground.database();
  const client = await ground.connect(url);
  const project_id = await fillProject(client, 'authenticated', 1_000);
  const {
    rows: [{ id: task_id }],
  } = await client.query('SELECT id FROM tasks WHERE project_id = $1 ORDER BY number DESC LIMIT 1', [project_id]);
  const server = await ground.server(url);
  const call = toolCall('get_task', { task_id });
  const authorization = `Bearer ${await newToken(server.url)}`;
  const slices = await interleave(
    {
      owner: await httpSlice(server, postRequest(`${server.url}/mcp`, call)),
      token: await httpSlice(server, postRequest(`${server.url}/mcp`, call, { authorization })),
    },
    { figure: 'cpuUs' },
  );
  const [owner, token] = [slices.owner, slices.token].map((runs) => runs.map(({ cpuUs }) => cpuUs));
  const more = median(token.map((cpuUs, index) => cpuUs - owner[index]));
  return [
    absolute(
      'get_task with a service token, server CPU more than without',
      more,
      'µs',
      `the call without a token ${format(median(owner))} µs, with one ${format(median(token))} µs`,
      { below: 10, times: medianRatio(token, owner) },
    ),
  ];
}

async function newToken(url) {
  const response = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['read'] }),
  });
  if (response.status !== 201) throw new Error(`no token: ${await response.text()}`);
  return (await response.json()).token;
}
