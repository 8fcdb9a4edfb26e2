import { agentEnvironment } from '../../src/config/child-environment.js';
import type {
  AgentIo,
  Driver,
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
  const { command, driver } = adapter.drive(turn);
  const { conversation } = driver;
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
    onLine: (line) => take(driver.push(line)),
  });
  conversation?.open({
    send: (message) => void child.write(`${JSON.stringify(message)}\n`),
    closeInput: () => child.closeStdin(),
    decide: (request) => Promise.resolve(decide(request)),
  });
  const end = await child.ended;
  take(driver.flush());
  return {
    entries,
    outcome: driver.outcome(end),
    final_message: driver.finalMessage,
    agent_session_id: driver.agentSessionId,
    exit_code: end.exit_code,
  };
}

export type Sent = Record<string, unknown>;

/** The other end of a conversation, without a process: what was sent, and a way to say something, for its entries. */
export function overheard(driver: Driver, decide: AgentIo['decide'] = () => Promise.resolve({ allow: true })) {
  const conversation = driver.conversation!;
  const heard = {
    sent: [] as Sent[],
    isInputClosed: false,
    say: (message: object): NormalizedEntry[] => driver.push(outputLine(JSON.stringify(message))),
    last: (): Sent => heard.sent.at(-1)!,
    cancel: (): Promise<void> => conversation.cancel(),
  };
  conversation.open({
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
