// The floors: what answers the same question costs on a bare fastify, with a pool of pg and SQL by hand.
import fastify from 'fastify';
import pg from 'pg';
import { newId } from '../../dist/src/platform/database/uuid.js';
import { sdkEndpoint } from './sdk-endpoint.mjs';
import { CREATE_TASK, getTaskStatement, LIST_TASKS } from './statements.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify({ forceCloseConnections: true });
const GET_TASK = await getTaskStatement();
// Prepared as the server's is: else the floor would pay for planning and the comparison would flatter.
const getTask = async ({ task_id }) =>
  (await pool.query({ name: 'get-task', text: GET_TASK, values: [[task_id], null, null] })).rows[0];
// PostgreSQL plans the server's once, and would plan this one for every call: it is told not to.
const planned = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: '-c plan_cache_mode=force_generic_plan',
});
const listTasks = async ({ project_id }) =>
  (await planned.query({ name: 'list-tasks', text: LIST_TASKS, values: [project_id] })).rows;

/** A ready answer of so many bytes. */
const ready = new Map();
app.post(
  '/bare/:bytes',
  async ({ params: { bytes } }) => ready.get(bytes) ?? ready.set(bytes, Buffer.alloc(Number(bytes), ' ')).get(bytes),
);
/** As the server answers: the id that it has made. */
const createTask = async ({ project_id, title, description }) => {
  const id = newId();
  await pool.query({ name: 'create-task', text: CREATE_TASK, values: [id, project_id, title, description] });
  return { task_id: id };
};

app.post('/create-task', ({ body }) => createTask(body.params.arguments));
app.post('/get-task', ({ body }) => getTask(body.params.arguments));
app.post('/list-tasks', ({ body }) => listTasks(body.params.arguments));
app.post('/sdk', sdkEndpoint(getTask));
/** The statement alone, so many times one after another: ms of each. */
app.post('/list-tasks-sql', async ({ body: { project_id, count } }) => {
  const latencies = [];
  while (latencies.length < count) {
    const startedAt = performance.now();
    await listTasks({ project_id });
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
});

process.once('SIGTERM', async () => {
  await app.close();
  await Promise.all([pool.end(), planned.end()]);
});
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
