import type { AttemptStatus } from '../client/index.js';
import { checksOf, demandGreen } from './checking.js';
import { Continuing } from './continuing.js';
import { CommandFailure, exits } from './exits.js';
import { LogLines } from './log-lines.js';
import { ask, complain, isTerminal, print, printJson, styled } from './output.js';
import type { Session } from './session.js';

export interface WatchOptions {
  json?: boolean;
  /** False: ends where a person is asked, even on a terminal. */
  wait?: boolean;
  maxMinutes?: number;
  /** The entry of the log to go on behind. */
  after?: number;
  /** The execution that the log begins with, if that is known. */
  first?: string | null;
}

type Approval = NonNullable<AttemptStatus['approval']>;

/** Shows the log of an attempt until it no longer runs and the server does not go on by itself, and asks the person
 *  what the agent asks.
 *  @throws CommandFailure where it or its checks failed, a person is needed, or the time is over while it goes on */
export async function watch(session: Session, attempt_id: string, options: WatchOptions): Promise<void> {
  const leaving = new AbortController();
  const signal = leaving.signal;
  const giveUp = (reason: CommandFailure) => () => leaving.abort(reason);
  const onInterrupt = giveUp(goesOn('interrupted', attempt_id, exits.interrupted));
  process.once('SIGINT', onInterrupt);
  const { maxMinutes } = options;
  const timeIsOver = giveUp(goesOn(`it still runs after ${maxMinutes} min`, attempt_id, exits.failed));
  const timer = maxMinutes === undefined ? undefined : setTimeout(timeIsOver, maxMinutes * 60_000);
  const lines = new LogLines(options.json === true, options.after);
  try {
    let status = await followed(session, attempt_id, lines, options, signal);
    const continuing = new Continuing(session, signal);
    while (await continuing.goesOnAfter(status)) status = await followed(session, attempt_id, lines, options, signal);
    lines.close();
    await conclude(session, status, options);
  } catch (error) {
    lines.close();
    throw signal.aborted ? signal.reason : error;
  } finally {
    leaving.abort();
    clearTimeout(timer);
    process.off('SIGINT', onInterrupt);
  }
}

const goesOn = (what: string, attempt_id: string, exit: number): CommandFailure =>
  new CommandFailure(`${what}; the run goes on`, exit, `taskyard watch ${attempt_id}`);

/** Until it no longer runs. @returns how it stands then */
async function followed(
  session: Session,
  attempt_id: string,
  lines: LogLines,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<AttemptStatus> {
  const printed = printLog(session, attempt_id, lines, options, signal);
  printed.catch(() => undefined); // said below, where the waiting did not fail first
  const status = await untilOver(session, attempt_id, options, signal);
  await printed;
  return status;
}

async function printLog(
  { client }: Session,
  attempt_id: string,
  lines: LogLines,
  { first }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  for await (const entry of client.followLog(attempt_id, { after: lines.last, first, signal })) lines.show(entry);
}

async function untilOver(
  session: Session,
  attempt_id: string,
  { wait = true }: WatchOptions,
  signal: AbortSignal,
): Promise<AttemptStatus> {
  for (let seen: string | undefined; ;) {
    const about = seen === undefined ? { signal } : { seen, signal };
    const status = await session.client.waitForAttempt(attempt_id, about);
    if (status.state !== 'running' || status.approval === null) return status;
    seen = status.approval.approval_id;
    await answer(session, status.approval, wait && isTerminal(), signal);
  }
}

async function answer(session: Session, approval: Approval, mayAsk: boolean, signal: AbortSignal): Promise<void> {
  const { approval_id, summary } = approval;
  const asked = `the agent asks: ${summary}`;
  if (!mayAsk) throw new CommandFailure(asked, exits.needsPerson, `taskyard approve ${approval_id}`);
  const said = await ask(`${asked}\nApprove? [y]es, [n]o, enter leaves it to others:`, signal);
  if (!/^[yn]/.test(said)) return;
  const params = { path: { approval_id } };
  const body = said.startsWith('y') ? { decision: 'approve' as const } : { decision: 'deny' as const };
  await session.client.POST('/api/approvals/{approval_id}/answer', { params, body });
}

/** Says how it ended. @throws CommandFailure where it failed, or its checks did */
async function conclude(session: Session, status: AttemptStatus, { json = false }: WatchOptions): Promise<void> {
  const { attempt_id, state, failure_summary, ended_by, checks_state } = status;
  if (json) printJson(status);
  if (state === 'failed') {
    const reason = ended_by === 'stop' ? 'it was stopped' : (failure_summary ?? 'the run failed');
    throw new CommandFailure(reason, exits.failed, `taskyard follow-up ${attempt_id} "…"`);
  }
  if (checks_state !== null) demandGreen(attempt_id, await checksOf(session, attempt_id));
  if (json) return;
  print(styled('green', 'done'));
  complain(`  next: taskyard diff ${attempt_id} · taskyard merge ${attempt_id}`);
}
