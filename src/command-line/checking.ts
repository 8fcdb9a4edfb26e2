import { setTimeout as delay } from 'node:timers/promises';
import type { Schemas } from '../client/index.js';
import { chosenAttempt, type AttemptPlace } from './chosen-attempt.js';
import { CommandFailure, exits } from './exits.js';
import { complain, print, printJson, printTable } from './output.js';
import { type CommonOptions, openSession, type Session } from './session.js';

export type ChecksOptions = CommonOptions & AttemptPlace & { run?: boolean; watch?: boolean };
type Checks = Schemas['VerifiedWorkOutput'];
type Check = Checks['checks'][number];

const LOOK_AGAIN_MS = 500;
const UNDECIDED: readonly (string | null)[] = ['pending', 'running'];
const RED: readonly string[] = ['failed', 'errored', 'stale'];

/** Shows the checks of an attempt, after a run of them or once they have ended.
 *  @throws CommandFailure where a required one is red */
export async function checks(given: string | undefined, options: ChecksOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const params = { path: { attempt_id } };
  if (options.run) await session.client.POST('/api/attempts/{attempt_id}/checks', { params });
  const found = options.watch ? await endedChecks(session, attempt_id) : await checksOf(session, attempt_id);
  if (options.json) printJson(found);
  else show(found);
  if (!options.json && UNDECIDED.includes(found.state)) complain(`  next: taskyard checks ${attempt_id} --watch`);
  demandGreen(attempt_id, found);
}

export const checksOf = ({ client }: Session, attempt_id: string, signal?: AbortSignal): Promise<Checks> =>
  client.GET('/api/attempts/{attempt_id}/checks', { params: { path: { attempt_id } }, signal: signal ?? null });

/** @throws CommandFailure where a required check is red */
export function demandGreen(attempt_id: string, { checks: all }: Checks): void {
  const red = all.filter(({ required, state }) => required && RED.includes(state));
  if (red.length === 0) return;
  const names = red.map(({ name, state }) => `${name} (${state})`).join(', ');
  const isStale = red.every(({ state }) => state === 'stale');
  const next = isStale ? `taskyard checks ${attempt_id} --run --watch` : `taskyard follow-up ${attempt_id} "…"`;
  throw new CommandFailure(`required checks are not passed: ${names}`, exits.checksRequired, next);
}

async function endedChecks(session: Session, attempt_id: string): Promise<Checks> {
  for (;;) {
    await session.client.waitForAttempt(attempt_id);
    const found = await checksOf(session, attempt_id);
    if (!UNDECIDED.includes(found.state)) return found;
    await delay(LOOK_AGAIN_MS);
  }
}

function show({ state, head, checks: all, tampering, exhausted_reason }: Checks): void {
  print(
    state === null ? 'nothing was checked yet' : [`checks ${state}`, head?.slice(0, 12)].filter(Boolean).join('  '),
  );
  printTable(all.map((check) => [check.name, check.state, aboutCheck(check)]));
  for (const path of tampering) print(`changes what checks it: ${path}`);
  if (exhausted_reason !== null) print(`not sent back to the agent any more: ${exhausted_reason}`);
}

const aboutCheck = ({ required, exit_code, duration_ms, failed_before, reason }: Check): string =>
  [
    !required && 'not required',
    exit_code !== null && `exit ${exit_code}`,
    duration_ms !== null && `${(duration_ms / 1_000).toFixed(1)} s`,
    failed_before && 'failed before, too',
    reason,
  ]
    .filter(Boolean)
    .join(', ');
