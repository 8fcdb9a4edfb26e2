import { agentEnvironment } from '../../src/config/child-environment.js';
import type {
  AgentIo,
  Conversation,
  ExecutorAdapter,
  Outcome,
  PermissionDecision,
  PermissionRequest,
  Turn,
} from '../../src/executors/executor.js';
import type { NormalizedEntry } from '../../src/executors/log-entry.js';
import type { OutputLine } from '../../src/platform/process/process-types.js';
import { SupervisedProcess } from '../../src/platform/process/supervised-process.js';

export interface PlayedTurn {
  entries: NormalizedEntry[];
  outcome: Outcome;
  final_message: string | null;
  agent_session_id: string | null;
  exit_code: number | null;
}

interface Options {
  env?: Record<string, string>;
  decide?: (request: PermissionRequest) => PermissionDecision;
  /** Stops the turn when an entry says so. */
  stopAt?: (entry: NormalizedEntry) => boolean;
}

export const turnOf = (turn: Partial<Turn> & Pick<Turn, 'prompt' | 'cwd'>): Turn => ({
  isTaskText: false,
  task: { title: 'x', description: null },
  variant: null,
  agent_session_id: null,
  ...turn,
});

/** One turn with the real program of an adapter. */
export async function playTurn(
  adapter: ExecutorAdapter,
  turn: Turn,
  { env = {}, decide = () => ({ allow: true }), stopAt }: Options = {},
): Promise<PlayedTurn> {
  const command = adapter.command(turn);
  const normalizer = adapter.normalizer(turn);
  const conversation = adapter.converse?.(turn) ?? null;
  const entries: NormalizedEntry[] = [];
  const take = (found: NormalizedEntry[]): void => {
    entries.push(...found);
    if (stopAt && found.some(stopAt))
      void child.stop({ force: false, ...(conversation && { cancel: () => conversation.cancel() }) });
  };
  const child = SupervisedProcess.start({
    ...command,
    env: { ...agentEnvironment([]), ...env, ...command.env },
    cwd: turn.cwd,
    marker: `turn-${process.pid}-${Math.random()}`,
    stdin: conversation ? 'pipe' : 'closed',
    onLine: (line) => {
      if (line.stream === 'stdout') conversation?.hear(line);
      take(normalizer.push(line));
    },
  });
  conversation?.open({
    cwd: turn.cwd,
    send: (message) => void child.write(`${JSON.stringify(message)}\n`),
    closeInput: () => child.closeStdin(),
    decide: (request) => Promise.resolve(decide(request)),
  });
  const end = await child.ended;
  take(normalizer.flush());
  return {
    entries,
    outcome: normalizer.outcome(end),
    final_message: normalizer.finalMessage(),
    agent_session_id: normalizer.agentSessionId(),
    exit_code: end.exit_code,
  };
}

export type Sent = Record<string, unknown>;

/** The other end of a conversation, without a process: what was sent, and a way to say something. */
export function overheard(
  conversation: Conversation,
  decide: AgentIo['decide'] = () => Promise.resolve({ allow: true }),
) {
  const heard = {
    sent: [] as Sent[],
    isInputClosed: false,
    say: (message: object): void => conversation.hear(outputLine(JSON.stringify(message))),
    last: (): Sent => heard.sent.at(-1)!,
  };
  conversation.open({
    cwd: '/w',
    send: (message) => void heard.sent.push(message as Sent),
    closeInput: () => {
      heard.isInputClosed = true;
    },
    decide,
  });
  return heard;
}

export const outputLine = (text: string, stream: OutputLine['stream'] = 'stdout'): OutputLine => ({
  stream,
  text,
  continues: false,
});
