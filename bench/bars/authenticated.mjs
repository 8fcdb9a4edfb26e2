import { absolute, format } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { freePort, openIssuer } from '../ground/issuer.mjs';
import { toolCall } from '../ground/tool-request.mjs';
import { postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median, medianRatio } from '../measure/statistics.mjs';

/** What a service token, an access token and a session of the page add to a call: each is verified once a minute, and
 *  found by its digest in between. */
export async function authenticated(ground) {
  const provider = await openIssuer();
  try {
    return await compare(ground, provider);
  } finally {
    provider.close();
  }
}

async function compare(ground, { issuer, token }) {
  const open = await board(ground);
  const PORT = String(await freePort());
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
  const closed = await board(ground, { PORT, PUBLIC_URL, OIDC_ISSUER: issuer, OIDC_ROLES: 'eng=admin' });
  const as = ({ server, task_id }, headers) =>
    httpSlice(server, postRequest(`${server.url}/mcp`, toolCall('get_task', { task_id }), headers));
  const call = async (there, bearer) => as(there, bearer ? { authorization: `Bearer ${await bearer}` } : {});
  const slices = await interleave(
    {
      owner: await call(open),
      service: await call(open, newToken(open.server.url)),
      page: await as(open, await newSession(open.server.url)),
      access: await call(closed, token({ aud: `${PUBLIC_URL}/mcp` })),
      // both servers answer as many calls: V8 goes on compiling for thousands of them
      beside: await call(
        closed,
        newToken(closed.server.url, await token({ aud: `${PUBLIC_URL}/api`, scope: 'admin read' })),
      ),
    },
    { figure: 'cpuUs' },
  );
  const cost = Object.fromEntries(Object.entries(slices).map(([name, runs]) => [name, runs.map((run) => run.cpuUs)]));
  return [
    more('with a service token', cost.service, 'without', cost.owner, 10),
    more('with an access token', cost.access, 'without', cost.owner, 10),
    more('in a session of the page', cost.page, 'with a service token', cost.service, 15),
  ];
}

function more(what, cpuUs, otherwise, without, below) {
  return absolute(
    `get_task ${what}, server CPU more than ${otherwise}`,
    median(cpuUs.map((one, index) => one - without[index])),
    'µs',
    `the call ${otherwise} ${format(median(without))} µs, ${what} ${format(median(cpuUs))} µs`,
    { below, times: medianRatio(cpuUs, without) },
  );
}

/** A server with 1 000 tasks, and one of these. */
async function board(ground, settings) {
  const url = await ground.database();
  const client = await ground.connect(url);
  const project_id = await fillProject(client, 'authenticated', 1_000);
  const { rows } = await client.query('SELECT id FROM tasks WHERE project_id = $1 ORDER BY number DESC LIMIT 1', [
    project_id,
  ]);
  return { server: await ground.server(url, { ISOLATION: 'none', ...settings }), task_id: rows[0].id };
}

async function newToken(url, bearer) {
  const response = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify({ name: 'bench', scopes: ['read'] }),
  });
  if (response.status !== 201) throw new Error(`no token: ${await response.text()}`);
  return (await response.json()).token;
}

/** Both halves of a session, as the page sends them. */
async function newSession(url) {
  const response = await fetch(`${url}/ui/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ token: await newToken(url) }),
  });
  if (response.status !== 200) throw new Error(`no session: ${await response.text()}`);
  const [cookie] = response.headers.get('set-cookie').split(';');
  return { cookie, origin: url, 'taskyard-page': (await response.json()).page_secret };
}
