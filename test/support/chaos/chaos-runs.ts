import type { Json } from '../mcp-client.js';
import type { ChaosCalls } from './chaos-calls.js';
import { drawsOf } from './chaos-schedule.js';
import type { Witness } from './witness.js';

const KINDS = ['plain', 'send', 'queue', 'stop', 'demo'] as const;
type RunKind = (typeof KINDS)[number];

/** One of the short runs, and all that its caller was told about it. */
export interface ChaosRun {
  key: string;
  kind: RunKind;
  lines: number;
  task_id: string;
  attempt_id: string;
  /** Turns that were asked for, and answered. */
  turns: number;
  /** Messages that wait behind a turn: they may become one more, or go with it. */
  messages: number;
  /** Raw lines that were read while it ran, by their index. */
  seen: Map<number, string>;
  /** Where two readings of one index differed. */
  contradictions: string[];
  /** Of a call that was refused, or never answered. */
  failure: string;
  hasOutlivedItsEnd: boolean;
}

export interface RunGround {
  calls: ChaosCalls;
  witness: Witness;
  project_id: string;
}

/** Far more than any fault lasts, and what comes after it. */
const OVER_WITHIN_MS = 150_000;
/** What an agent needs to be gone once its end is told: the time of the news of a connection that closed. */
const GONE_WITHIN_MS = 1_500;

export function plannedRuns(seed: number, count: number): ChaosRun[] {
  const draw = drawsOf(seed + 1);
  return Array.from({ length: count }, (_, at) => ({
    key: `run-${at}`,
    kind: KINDS[Math.floor(draw() * KINDS.length)]!,
    lines: 2 + Math.floor(draw() * 10),
    task_id: '',
    attempt_id: '',
    turns: 0,
    messages: 0,
    seen: new Map<number, string>(),
    contradictions: [],
    failure: '',
    hasOutlivedItsEnd: false,
  }));
}

/** Works them off, some at a time, as callers would who come by themselves. */
export async function workOff(runs: readonly ChaosRun[], ground: RunGround, atOnce: number): Promise<void> {
  const waiting = [...runs];
  const next = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift())
      await play(run, ground).catch((error: unknown) => (run.failure = (error as Error).message));
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

async function play(run: ChaosRun, ground: RunGround): Promise<void> {
  const { calls, project_id } = ground;
  const { key, kind } = run;
  const task = { project_id, title: key, description: scriptOf(run, ground), request_id: `${key} task` };
  run.task_id = (await calls.call('create_task', task)).task_id as string;
  const executor = kind === 'demo' ? 'DEMO' : 'SHELL';
  const started = await calls.call('start_task_attempt', {
    task_id: run.task_id,
    executor,
    request_id: `${key} start`,
  });
  run.attempt_id = started.attempt_id as string;
  run.turns = 1;
  if (kind === 'queue') await followUp(run, ground, 'queue');
  if (kind === 'stop') await stop(run, ground);
  await untilOver(run, ground);
  if (kind !== 'send') return;
  await followUp(run, ground, 'send');
  await untilOver(run, ground);
}

const scriptOf = ({ key, kind, lines }: ChaosRun, { witness }: RunGround): string =>
  kind === 'demo'
    ? `append work.txt <<< ${key}\nsleep 1\nsay done`
    : [
        witness.holdOn(key),
        'echo begin',
        `for n in $(seq ${lines}); do echo "line $n"; sleep 0.${1 + (lines % 4)}; done`,
        `echo ${key} >> work.txt`,
        'echo done',
      ].join('\n');

/** A message may be answered by its turn at once, wait behind the live one, or be dropped with it. */
async function followUp(run: ChaosRun, ground: RunGround, action: 'send' | 'queue'): Promise<void> {
  const { attempt_id, key } = run;
  const prompt = scriptOf({ ...run, kind: 'plain' }, ground);
  const request_id = `${key} ${action}`;
  const answer = await ground.calls.call('follow_up', { attempt_id, action, prompt, request_id });
  if (answer.status === 'queued') run.messages += 1;
  else run.turns += 1;
}

async function stop({ attempt_id, key }: ChaosRun, { calls, witness }: RunGround): Promise<void> {
  while (witness.starts(key) === 0) {
    const { state } = await calls.call('get_attempt_status', { attempt_id, wait_ms: 300 });
    if (state !== 'running') return;
  }
  await calls.call('stop_attempt', { attempt_id });
}

/** Reads its log to the end, as it comes. */
async function untilOver(run: ChaosRun, { calls, witness }: RunGround): Promise<void> {
  const { attempt_id } = run;
  const giveUpAt = performance.now() + OVER_WITHIN_MS;
  let after = Math.max(-1, ...run.seen.keys());
  for (;;) {
    if (performance.now() > giveUpAt) throw new Error('it does not end');
    const about = { attempt_id, channel: 'raw', after_entry_index: after, wait_ms: 5_000, limit: 500 };
    const answer = await calls.call('tail_attempt_logs', about);
    for (const line of linesIn(answer)) note(run, ...line);
    const { page, state } = answer;
    after = page.next_after_entry_index as number;
    if (state !== 'running' && !page.has_more) break;
  }
  const givenUpAt = performance.now() + GONE_WITHIN_MS;
  while (witness.living(run.key) > 0 && performance.now() < givenUpAt) await new Promise((go) => setTimeout(go, 20));
  if (witness.living(run.key) > 0) run.hasOutlivedItsEnd = true;
}

function note(run: ChaosRun, index: number, now: string): void {
  const before = run.seen.get(index);
  if (before !== undefined && before !== now) run.contradictions.push(`${index}: "${before}" became "${now}"`);
  run.seen.set(index, now);
}

/** The lines of a page by their position, each with its run, which may stand above. */
export function linesIn({ page, execution_process_id: latest }: Json): [index: number, line: string][] {
  const all = page.execution_process_id ?? latest;
  return (page.entries as Json[]).map(({ entry_index, execution_process_id, entry }) => [
    entry_index as number,
    `${execution_process_id ?? all} ${entry.content}`,
  ]);
}
