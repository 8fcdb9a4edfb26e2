import { FILES, makeRepository, moveMain } from './shop.mjs';
import { TASKS } from './tasks.mjs';

const ENDED_WITHIN_MS = 120_000;

/** Fills a server with two projects as they look in the middle of a day.
 *  @returns the views to be shown: their address, and what is on them once they are there */
export async function furnish(server, folder) {
  const project_id = await project(server, 'Web shop', makeRepository(folder, 'web-shop', FILES));
  const docs = await project(server, 'Handbook', makeRepository(folder, 'handbook', { 'README.md': '# Handbook\n' }));
  await server.rest('POST', `/api/projects/${docs}/tasks`, { title: 'Write down how releases are made' });
  const made = {};
  for (const [name, task] of Object.entries(TASKS)) made[name] = await make(server, project_id, task);
  moveMain(folder, 'web-shop');
  await readDelivery(server, made.conflict.attempt_id);
  const attempt = (name, part = '') => `/p/${project_id}/a/${made[name].attempt_id}${part}`;
  return {
    board: { address: `/p/${project_id}`, until: '.column.chosen .card' },
    'my-work': { address: '/work', until: 'section .card' },
    inbox: { address: '/inbox', until: '.question' },
    task: { address: `/p/${project_id}/t/${made.answer.task_id}`, until: 'code' },
    running: { address: attempt('running'), until: '.live code' },
    answer: { address: attempt('answer'), until: '.files-changed li' },
    changes: { address: attempt('answer', '/changes'), until: '.diff-line' },
    conflict: { address: attempt('conflict', '/delivery'), until: '.delivery li' },
    log: { address: attempt('failed', '/log'), until: '.stderr' },
    throughput: { address: '/throughput', until: 'tbody tr' },
  };
}

async function project(server, name, repository) {
  const { project_id } = await server.rest('POST', '/api/projects', { name, repos: [{ path: repository }] });
  return project_id;
}

/** A task, and its attempt as far as it has one. */
async function make(server, project_id, { attempt, status, merged, ...task }) {
  const { task_id } = await server.rest('POST', `/api/projects/${project_id}/tasks`, task);
  if (status) await server.rest('PUT', `/api/tasks/${task_id}`, { status });
  if (!attempt) return { task_id };
  const { prompt = task.description, lasts, ...start } = attempt;
  const { attempt_id } = await server.rest('POST', `/api/tasks/${task_id}/attempts`, { prompt, ...start });
  if (!lasts) await untilEnded(server, attempt_id);
  if (merged) await server.rest('POST', `/api/attempts/${attempt_id}/merge`, { checked_out: 'update' });
  return { task_id, attempt_id };
}

async function untilEnded(server, attempt_id) {
  const giveUpAt = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const { state } = await server.rest('GET', `/api/attempts/${attempt_id}`);
    if (state !== 'running') return;
    if (Date.now() > giveUpAt) throw new Error(`the attempt ${attempt_id} does not end`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Main was moved by somebody else: the board knows of the conflict once it was looked at. */
const readDelivery = (server, attempt_id) => server.rest('GET', `/api/attempts/${attempt_id}/delivery`);
