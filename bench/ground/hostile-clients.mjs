// Twenty clients that send the worst they can until they are ended: a process of its own, so that their work does not
// delay who measures. Arguments: the URL of the server, a project, a task and an attempt.
import { request } from 'node:http';

const [url, project_id, task_id, attempt_id] = process.argv.slice(2);
const CLIENTS = 20;
const keys = (count) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));
const tool = (name, args) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const task = { project_id, title: 'Flood' };

/** What each client sends in turn. */
const worst = [
  ['POST', '/api/workers', keys(300_000)], // more than may arrive
  ['POST', '/api/workers', keys(20_000)], // as many as may be read
  ['POST', '/mcp', tool('create_task', { ...task, description: 'é'.repeat(1_000_000) })],
  ['POST', '/mcp', tool('create_task', { ...task, description: '\u0001'.repeat(600_000) })],
  ['POST', '/mcp', `${'{"a":'.repeat(19_000)}1${'}'.repeat(19_000)}`],
  ['POST', '/mcp', `"${'x'.repeat(4_000_000)}"`],
  ['GET', `/api/tasks/${task_id}/thought-records?limit=500`],
  ['GET', `/api/tasks/${task_id}/audit?limit=500`],
  ['GET', `/api/projects/${project_id}/tasks?limit=500`],
  ['POST', '/mcp/colibri', tool('task_list', { limit: 500 })],
  ['POST', '/mcp/colibri', tool('audit_verify_chain', {})],
  ['GET', `/api/attempts/${attempt_id}/logs?channel=raw&limit=1000`],
];

const counts = {};

/** @returns once the answer is read; a stream is left open */
function send([method, path, body], headers = {}) {
  return new Promise((resolve) => {
    const more =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}${path}`, { method, headers: { ...headers, ...more } }, (answer) => {
      counts[answer.statusCode] = (counts[answer.statusCode] ?? 0) + 1;
      answer.resume().on('close', resolve);
    });
    sent.on('error', () => {
      counts.broken = (counts.broken ?? 0) + 1;
      resolve();
    });
    sent.end(body);
  });
}

async function client(number) {
  for (let at = 0; at < 30; at += 1) void send(['GET', `/api/attempts/${attempt_id}/events`]);
  for (let at = number; ; at += 1) await send(worst[at % worst.length]);
}

process.on('SIGTERM', () => {
  console.log(JSON.stringify(counts));
  process.exit(0);
});
for (let number = 0; number < CLIENTS; number += 1) void client(number);
