import { RpcError, send } from './demo-rpc.mjs';
import { runCommand, writeFile } from './demo-tools.mjs';

const DIRECTIVE = /^(say|think|plan|write|append|run|ask|sleep|fail)\s+(.*)$/;
const text = (value) => ({ type: 'text', text: value });

/** Plays one prompt; answers why it stopped. */
export async function playTurn(session, prompt, sessions) {
  const turn = begin(
    session,
    prompt
      .filter(({ type }) => type === 'text')
      .map((block) => block.text)
      .join('\n'),
  );
  try {
    await play(turn);
  } catch (error) {
    if (!turn.signal.aborted) throw error;
  } finally {
    session.abort = null;
    sessions.save(session);
  }
  return { stopReason: turn.signal.aborted ? 'cancelled' : 'end_turn' };
}

function begin(session, said) {
  session.abort = new AbortController();
  session.turns += 1;
  session.log.push({ sessionUpdate: 'user_message_chunk', content: text(said) });
  const report = (update) => {
    session.log.push(update);
    send({ method: 'session/update', params: { sessionId: session.id, update } });
  };
  return {
    session,
    lines: said
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    signal: session.abort.signal,
    report,
    calls: 0,
  };
}

async function play(turn) {
  const script = turn.lines.map((line) => DIRECTIVE.exec(line)).filter(Boolean);
  for (const [, name, argument] of script) {
    if (turn.signal.aborted) return;
    await directives[name](turn, argument);
  }
  if (turn.signal.aborted) return;
  if (script.length === 0)
    await writeFile(turn, `AGENT_NOTES.md <<< - turn ${turn.session.turns}: ${turn.lines.join(' ')}`, true);
  say(turn, `Done (turn ${turn.session.turns}).`);
}

const directives = {
  say,
  think: ({ report }, thought) => report({ sessionUpdate: 'agent_thought_chunk', content: text(thought) }),
  plan: ({ report }, items) =>
    report({
      sessionUpdate: 'plan',
      entries: items.split(';').map((item) => ({ content: item.trim(), priority: 'medium', status: 'pending' })),
    }),
  write: (turn, argument) => writeFile(turn, argument, false),
  append: (turn, argument) => writeFile(turn, argument, true),
  run: (turn, command) => runCommand(turn, command, false),
  ask: (turn, command) => runCommand(turn, command, true),
  sleep: ({ signal }, seconds) => pause(Number(seconds) * 1000, signal),
  fail: (_, message) => {
    throw new RpcError(-32603, message);
  },
};

/** Word by word, as models speak; a message that goes on does so on a line of its own. */
function say(turn, sentence) {
  const words = sentence.match(/\S+\s*/g) ?? [];
  if (turn.session.log.at(-1)?.sessionUpdate === 'agent_message_chunk') words.unshift('\n');
  for (const word of words) turn.report({ sessionUpdate: 'agent_message_chunk', content: text(word) });
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
