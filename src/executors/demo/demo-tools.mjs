import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { peer } from './demo-rpc.mjs';

const MAX_OUTPUT_CHARS = 65_536;
const SEPARATOR = /\s*<<<\s?/;
const content = (text) => [{ type: 'content', content: { type: 'text', text } }];

/** `PATH <<< TEXT`: writes the text as a line; \n in it is a line break. */
export function writeFile(turn, argument, isAppend) {
  const [name, ...rest] = argument.split(SEPARATOR);
  const line = `${rest.join(' <<< ').replaceAll('\\n', '\n')}\n`;
  const { cwd } = turn.session;
  const call = {
    title: `${isAppend ? 'Append to' : 'Write'} ${name}`,
    kind: 'edit',
    locations: [{ path: path.resolve(cwd, name) }],
    rawInput: { path: name },
  };
  return useTool(turn, call, () => {
    const file = inside(cwd, name);
    const oldText = existsSync(file) ? readFileSync(file, 'utf8') : null;
    const newText = isAppend && oldText !== null ? oldText + line : line;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, newText);
    return [{ type: 'diff', path: file, oldText, newText }];
  });
}

export function runCommand(turn, command, isAsked) {
  return useTool(turn, { title: command, kind: 'execute', rawInput: { command } }, async (toolCallId) => {
    if (process.env.DEMO_AGENT_REFUSAL) throw new Error(process.env.DEMO_AGENT_REFUSAL);
    if (isAsked) await permission(turn, toolCallId, command);
    return content(await output(turn, command));
  });
}

/** Reports the call, does its work and reports its result; a failure is reported too, and the turn goes on. */
async function useTool(turn, call, work) {
  const toolCallId = `call_${turn.session.turns}_${++turn.calls}`;
  const end = (status, result) =>
    turn.report({ sessionUpdate: 'tool_call_update', toolCallId, status, content: result });
  turn.report({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...call });
  try {
    end('completed', await work(toolCallId));
  } catch (error) {
    end('failed', content(error.message));
  }
}

async function permission(turn, toolCallId, command) {
  const options = [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
  const toolCall = { toolCallId, title: command, kind: 'execute', rawInput: { command } };
  const { outcome } = await peer.request('session/request_permission', {
    sessionId: turn.session.id,
    toolCall,
    options,
  });
  if (outcome?.optionId !== 'allow') throw new Error('refused by the user');
}

/** In its own process group, so that a cancel ends what the command started too. */
function output({ session, signal }, command) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { cwd: session.cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const add = (chunk) => {
      said = (said + chunk).slice(0, MAX_OUTPUT_CHARS);
    };
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.on('error', reject);
    child.on('close', (code, name) => {
      signal.removeEventListener('abort', kill);
      if (code === 0) resolve(said);
      else reject(new Error(`exit ${code ?? name}\n${said}`));
    });
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill);
  });
}

/** The file in the workspace; a link, even one to nothing, must not lead out of it. */
function inside(cwd, name) {
  const root = realpathSync(cwd);
  const file = path.resolve(root, name);
  let known = file;
  while (!lstatSync(known, { throwIfNoEntry: false })) known = path.dirname(known);
  const isInside = [file, realpathSync(known)].every((place) => place.startsWith(root + path.sep) || place === root);
  if (!isInside || file === root || path.relative(root, file).split(path.sep)[0] === '.git')
    throw new Error(`${name} is outside of the workspace`);
  return file;
}
