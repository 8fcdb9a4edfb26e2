// Makes, lists, rotates and revokes service tokens over the REST API at TASKFLOW_API_URL, with TASKFLOW_SERVICE_TOKEN
// or the local token of a server on this machine, if it has one.
import { parseArgs } from 'node:util';
import { tokenForApi } from '../dist/src/tokens/local-token.js';
import { EnvironmentError, loadEnvironment } from '../dist/src/config/environment.js';

const USAGE = `usage: npm run token -- create NAME --scopes read,write [--project ID]… [--user USER_ID] [--expires TIME]
       npm run token -- list
       npm run token -- rotate TOKEN_ID [--overlap SECONDS]
       npm run token -- revoke TOKEN_ID`;

class UsageError extends Error {}

try {
  await run();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof EnvironmentError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function run() {
  const { values, positionals } = parse();
  const [command, subject, ...more] = positionals;
  if (more.length || (command === 'list') !== (subject === undefined)) throw new UsageError(USAGE);
  const commands = {
    create: () => call('POST', '', toGrant(subject, values)),
    list: listAll,
    rotate: () => call('POST', `/${encodeURIComponent(subject)}/rotate`, toOverlap(values)),
    revoke: () => call('DELETE', `/${encodeURIComponent(subject)}`),
  };
  if (!Object.hasOwn(commands, command ?? '')) throw new UsageError(USAGE);
  const answer = await commands[command]();
  if (answer) console.log(JSON.stringify(answer, null, 2));
}

function parse() {
  const text = { type: 'string' };
  const options = { scopes: text, project: { ...text, multiple: true }, user: text, expires: text, overlap: text };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${error.message}\n${USAGE}`);
  }
}

function toGrant(name, { scopes = '', project, user, expires }) {
  return { name, scopes: scopes.split(',').filter(Boolean), project_ids: project, user_id: user, expires_at: expires };
}

function toOverlap({ overlap }) {
  return overlap === undefined ? {} : { overlap_secs: Number(overlap) };
}

/** One line a token; the lists of many pages follow each other. */
async function listAll() {
  for (let cursor; cursor !== null;) {
    const page = await call('GET', `?limit=500${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    if (!page) return;
    for (const { token_id, name, scopes, expires_at, last_used_at } of page.tokens)
      console.log(
        [token_id, name, scopes.join(','), expires_at ?? 'never expires', last_used_at ?? 'unused'].join('\t'),
      );
    cursor = page.next_cursor;
  }
}

/** The answer, or null where the server refuses, which it explains. */
async function call(method, path, body) {
  const environment = loadEnvironment();
  const { TASKFLOW_API_URL } = environment;
  const token = tokenForApi(environment);
  const headers = { ...(token && { authorization: `Bearer ${token}` }) };
  if (body) headers['content-type'] = 'application/json';
  try {
    const url = `${TASKFLOW_API_URL}/api/tokens${path}`;
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return answer;
    console.error(`${answer.code}: ${answer.message} ${answer.hint}`);
  } catch (error) {
    console.error(`No answer from ${TASKFLOW_API_URL}: ${error.cause?.message ?? error.message}`);
  }
  process.exitCode = 1;
  return null;
}
