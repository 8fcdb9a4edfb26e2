import { randomUUID } from 'node:crypto';
import { ratio } from '../figures.mjs';
import { fillProject } from '../ground/board-data.mjs';
import { toolCall } from '../ground/tool-request.mjs';
import { postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const ONE_CLIENT = { count: 100, inFlight: 1 };
/** The 4 000 calls that `interleave` reckons with. */
const WARM_UP = 40;
const TASK = { title: 'Add a health check', description: 'Answer 200 at /healthz.' };

/** A task and its audit row against the one statement that writes both, without and with a request id. */
export async function createTask(ground) {
  const url = await ground.database();
  const project_id = await fillProject(await ground.connect(url), 'create', 1_000);
  const [server, floor] = await Promise.all([ground.server(url), ground.floorServer(url)]);
  const call = () => toolCall('create_task', { project_id, ...TASK });
  const keyed = () => toolCall('create_task', { project_id, ...TASK, request_id: randomUUID() });
  const slices = await interleave(
    {
      byHand: await httpSlice(floor, postRequest(`${floor.url}/create-task`, call()), ONE_CLIENT),
      server: await httpSlice(server, postRequest(`${server.url}/mcp`, call()), ONE_CLIENT),
      keyed: await httpSlice(server, () => postRequest(`${server.url}/mcp`, keyed()), ONE_CLIENT),
    },
    { figure: 'latencyMs', warmUp: WARM_UP },
  );
  return [
    ...against(slices, 'server', 'create_task', { p50: 1.6, cpu: 2.2 }),
    ...against(slices, 'keyed', 'create_task with a request_id', { p50: 2.2, cpu: 2.5 }),
  ];
}

function against(slices, name, what, most) {
  const { p50, cpu, times } = tell(slices);
  const floor = 'bare fastify POST with one hand-written statement';
  return [
    ratio(`${what}, p50`, p50(name), `${floor}: ${p50('byHand')}`, times(name, 'byHand'), {
      atMost: most.p50,
    }),
    ratio(`${what}, server CPU of a call`, cpu(name), `${floor}: ${cpu('byHand')}`, times(name, 'byHand', 'cpuUs'), {
      atMost: most.cpu,
    }),
  ];
}
