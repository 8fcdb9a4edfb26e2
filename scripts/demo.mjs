// Creates a small git repository, starts its own server and drives the whole loop through MCP, as an agent would.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { OwnServer } from './own-server.mjs';

/** DEMO, the agent shipped with the server, needs no model: it executes these lines. */
const TASK = `plan write a greeting; mention it in the readme
think A file of its own is easy to find.
sleep 0.5
write GREETING.md <<< Hello from an attempt.
append README.md <<< See GREETING.md.
run ls -l
say Wrote a greeting.`;

const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-demo-'));
chmodSync(folder, 0o711); // the embedded database may run as another user, who must pass through
let server;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().finally(() => process.exit(130)));

try {
  const repository = makeRepository(path.join(folder, 'hello'));
  await startServer();
  await driveTheLoop(repository);
} finally {
  await cleanUp();
}

async function driveTheLoop(repository) {
  const { project_id } = await rest('POST', '/api/projects', { name: 'Demo', repos: [{ path: repository }] });
  const client = new Client({ name: 'taskyard-demo', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: server.asOwner } }),
  );
  const call = (name, args, options) => callTool(client, name, args, options);

  title('Create a task and start an attempt');
  const { task_id } = await call('create_task', { project_id, title: 'Write a greeting', description: TASK });
  const { attempt_id } = await call('start_task_attempt', { task_id, executor: 'DEMO', request_id: 'demo-start' });
  title('Follow the log');
  const seen = await followLog(call, attempt_id, -1);
  await call('get_attempt_status', { attempt_id });
  title('Review the changes');
  const { files } = await call('get_attempt_changes', { attempt_id });
  show((await call('get_attempt_patch', { attempt_id, paths: files })).patch);
  title('Send a follow-up');
  await call('follow_up', {
    attempt_id,
    action: 'send',
    prompt: 'append GREETING.md <<< Have a nice day.\nsay Added a line.',
  });
  const last = await followLog(call, attempt_id, seen);
  show((await call('get_attempt_file', { attempt_id, path: 'hello/GREETING.md' })).content);
  title('Stop a run');
  await call('follow_up', { attempt_id, action: 'send', prompt: 'run sleep 600' });
  await followLog(call, attempt_id, last, 'tool_use');
  await call('stop_attempt', { attempt_id });
  title('Merge the work, and undo that');
  await call('get_attempt_delivery', { attempt_id });
  // allow_failed: the last run was stopped
  const merge = { attempt_id, checked_out: 'update', allow_failed: true, request_id: 'demo-merge' };
  await call('merge_attempt', merge);
  show(history(repository));
  await call('get_task', { task_id });
  await call('merge_attempt', { attempt_id, action: 'undo', checked_out: 'update', request_id: 'demo-undo' });
  show(history(repository));
  await call('get_task', { task_id });
  await client.close();
  title('Clean up');
  await rest('DELETE', `/api/projects/${project_id}`);
}

/** Prints entries as they arrive, until the run has ended or an entry of that type appeared.
 *  @returns the index of the last one */
async function followLog(call, attempt_id, after_entry_index, type = null) {
  for (;;) {
    const { page, state } = await call(
      'tail_attempt_logs',
      { attempt_id, after_entry_index, wait_ms: 20_000 },
      { quiet: true },
    );
    for (const { entry_index, entry } of page.entries)
      console.log(`    ${String(entry_index).padStart(3)} ${entry.type}  ${entry.content.replaceAll('\n', ' ⏎ ')}`);
    after_entry_index = page.next_after_entry_index;
    const isThere = page.entries.some(({ entry }) => entry.type === type);
    if (isThere || (state !== 'running' && !page.has_more)) return after_entry_index;
  }
}

async function callTool(client, name, args, { quiet = false } = {}) {
  if (!quiet) console.log(`  → ${name} ${JSON.stringify(args)}`);
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name} was refused: ${structuredContent.message} ${structuredContent.hint}`);
  if (!quiet) console.log(`  ← ${shortened(JSON.stringify(structuredContent))}`);
  return structuredContent;
}

async function startServer() {
  title(`Start a server (${process.env.DATABASE_URL ? 'on DATABASE_URL' : 'with its embedded database'})`);
  server = await OwnServer.start(folder);
  console.log(`  ${server.url}/mcp`);
}

function makeRepository(place) {
  title(`Create a git repository at ${place}`);
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', ...args], {
      cwd: place,
      stdio: 'ignore',
    });
  mkdirSync(place);
  writeFileSync(path.join(place, 'README.md'), '# Hello\n');
  git('init', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--message', 'First commit');
  return place;
}

function history(place) {
  return execFileSync('git', ['log', '--oneline', '--stat', 'main'], { cwd: place, encoding: 'utf8' });
}

async function rest(method, address, body) {
  const { status, answer } = await server.send(method, address, body);
  console.log(`  ${method} ${address} ${status} ${shortened(JSON.stringify(answer))}`);
  return answer;
}

async function cleanUp() {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
}

function title(text) {
  console.log(`\n${text}`);
}

function show(text) {
  console.log(text.trimEnd().replace(/^/gm, '    '));
}

function shortened(text) {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
