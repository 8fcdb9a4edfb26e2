/** A coding agent without a model: the prompt is its script, one directive a line.
 *    say TEXT · think TEXT · plan A; B · write PATH <<< TEXT · append PATH <<< TEXT
 *    run COMMAND · ask COMMAND · sleep SECONDS · fail TEXT
 *  A prompt without a directive is appended to AGENT_NOTES.md. The same prompts give the same messages. */
import readline from 'node:readline';
import { answerTo, peer, send } from './demo-rpc.mjs';
import { Sessions } from './demo-sessions.mjs';
import { playTurn } from './demo-turn.mjs';

const sessions = new Sessions(process.env.DEMO_AGENT_STATE ?? '.');

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'demo-agent', version: '1.0.0' },
    authMethods: [],
    agentCapabilities: { loadSession: true, promptCapabilities: {}, sessionCapabilities: { resume: {} } },
  }),
  'session/new': ({ cwd }) => ({ sessionId: sessions.create(cwd).id }),
  'session/resume': ({ sessionId, cwd }) => void sessions.reopen(sessionId, cwd),
  'session/load': ({ sessionId, cwd }) => {
    for (const update of sessions.reopen(sessionId, cwd).log)
      send({ method: 'session/update', params: { sessionId, update } });
  },
  'session/prompt': ({ sessionId, prompt }) => playTurn(sessions.get(sessionId), prompt, sessions),
  'session/cancel': ({ sessionId }) => sessions.get(sessionId).abort?.abort(),
};

const input = readline.createInterface({ input: process.stdin });
input.on('line', (line) => {
  const message = parse(line);
  if (message === undefined) send({ id: null, error: { code: -32700, message: 'Parse error' } });
  else if (message.method === undefined) peer.settle(message);
  else void answerTo(message, methods[message.method]);
});
// What a tool of a running turn started is ended before the process is.
input.on('close', () => sessions.abortAll());
process.on('SIGTERM', () => {
  sessions.abortAll();
  process.exitCode = 143;
  input.close();
});

function parse(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined; // answered with a parse error
  }
}
