import { expect } from '@jest/globals';
import { type LeasedJob, type QueueLimits, TurnClaims } from '../../src/cluster/turn-claims.js';
import type { TurnQueue } from '../../src/cluster/turn-queue.js';
import { newId } from '../../src/platform/database/uuid.js';
import { type ExpectedHolder, ExpectedQueue } from './expected-queue.js';
import { NO_CAPS, numbered, type useQueue } from './queue-ground.js';

export type Step =
  | { does: 'enqueue'; project: number; executor: string; labels: string[]; home: number | null; priority: number }
  | { does: 'claim'; holder: number; count: number }
  | { does: 'claimTogether' | 'look' }
  | { does: 'settle' | 'giveBack'; turn: number }
  | { does: 'claimUnheard' | 'silence' | 'vanish' | 'leave' | 'return'; holder: number };

interface Holder extends ExpectedHolder {
  claims: TurnClaims;
}

/** A turn beside its share, or a share without turns. */
interface Row {
  job_id: string | null;
  incarnation: string | null;
  home: string | null;
  project: number;
  waiting: number;
  running: number;
}

const EXECUTORS = [['SHELL', 'CODEX'], ['SHELL', 'CODEX'], ['SHELL']];
const LABELS = [['gpu', 'java'], ['java'], []];
/** Beyond the lease of 10 s, beyond RUNNER_LOST_SECS, and an orderly end. */
const ENDS = {
  silence: "seen_at = least(seen_at, now() - interval '11 seconds')",
  vanish: "seen_at = now() - interval '61 seconds'",
  leave: 'left_at = now()',
};

/** The queue of turns beside what is expected of it: each step is taken by both. */
export class QueueModel {
  private readonly expected: ExpectedQueue<Holder>;
  /** What is worked on, though another may have it by now. */
  private readonly handedOut: { job: LeasedJob; claims: TurnClaims }[] = [];
  private queue!: TurnQueue;

  private constructor(
    private readonly ground: ReturnType<typeof useQueue>,
    private readonly limits: QueueLimits,
  ) {
    this.expected = new ExpectedQueue(limits);
  }

  static async open(ground: ReturnType<typeof useQueue>, caps: Partial<QueueLimits>) {
    await ground.database.query('TRUNCATE turn_jobs, turn_shares, runners');
    const model = new QueueModel(ground, { ...NO_CAPS, ...caps });
    model.queue = await model.openQueue();
    for (const at of EXECUTORS.keys()) await model.enter(at);
    return model;
  }

  async take(step: Step): Promise<void> {
    switch (step.does) {
      case 'enqueue':
        return this.enqueue(step);
      case 'claim':
        return this.claim(this.expected.holders[step.holder]!, step.count);
      case 'claimTogether':
        return this.claimTogether();
      case 'claimUnheard':
        return this.claimUnheard(this.expected.holders[step.holder]!);
      case 'settle':
      case 'giveBack':
        return this.end(step.turn, step.does);
      case 'return':
        return this.enter(step.holder);
      case 'look':
        return this.look();
      default:
        return this.lose(this.expected.holders[step.holder]!, step.does);
    }
  }

  /** Rows as expected, counters as a recount, no cap passed. */
  async expectAgreement(): Promise<void> {
    const rows = await this.ground.database.query<Row>(
      `SELECT t.job_id, t.incarnation, t.home, right(s.project_id::text, 1)::int AS project, s.waiting::int,
         s.running::int
       FROM turn_shares s FULL JOIN turn_jobs t ON t.project_id = s.project_id
       ORDER BY t.number`,
    );
    const turns = this.expected.turns.map(({ job_id, incarnation, home }) => ({ job_id, incarnation, home }));
    expect(rows.filter(({ job_id }) => job_id !== null)).toMatchObject(turns);
    for (const { project, waiting, running } of rows)
      expect({ waiting, running }).toEqual(this.expected.count(project));
    expect(this.expected.overCap).toEqual([]);
  }

  /** All are gone; whoever comes back first works off what is left. */
  async drain(): Promise<void> {
    for (const holder of this.expected.holders) await this.lose(holder, 'vanish');
    await this.look();
    await this.enter(0);
    for (let left = this.expected.turns.length; left > 0; left -= 1) {
      const next = this.handedOut.length;
      await this.claim(this.expected.holders[0]!, 1);
      await this.end(next, 'settle');
      await this.expectAgreement();
    }
    expect(await this.ground.turns()).toEqual({ waiting: 0, running: 0 });
  }

  private async enqueue({ does: _, project, home, ...more }: Extract<Step, { does: 'enqueue' }>): Promise<void> {
    const job_id = newId();
    const at = home === null ? null : this.expected.holders[home]!;
    const turn = { job_id, attempt_id: newId(), project_id: numbered(project), ...more, home: at?.id ?? null };
    await this.ground.database.transaction((tx) => this.queue.enqueue(tx, turn));
    const kept = at !== null && this.expected.isHome(at, more.labels) ? at.id : '';
    this.expected.turns.push({ job_id, project, ...more, home: kept, incarnation: null });
  }

  /** Takes what is first of its project, and as much as there is. */
  private async claim(holder: Holder, count: number): Promise<void> {
    const jobs = await holder.claims.claim(count);
    for (const job of jobs) {
      const ready = this.expected.readyFor(holder);
      const taken = ready.find(({ job_id }) => job_id === job.id);
      const rivals = ready.filter(({ project }) => project === taken?.project);
      expect(job.id).toBe(rivals.toSorted((one, other) => other.priority - one.priority)[0]?.job_id);
      this.hand(job, holder);
    }
    if (jobs.length < count) expect(this.expected.readyFor(holder)).toEqual([]);
  }

  /** Claims beside each other may leave something, but take nothing twice and nothing that is not theirs. */
  private async claimTogether(): Promise<void> {
    const taken = await Promise.all(this.expected.holders.map(({ claims }) => claims.claim(3)));
    for (const [at, jobs] of taken.entries())
      for (const job of jobs) {
        const holder = this.expected.holders[at]!;
        expect(this.expected.readyFor(holder).map(({ job_id }) => job_id)).toContain(job.id);
        this.hand(job, holder);
      }
  }

  /** A claim was committed and its answer lost: its holder gives back that one alone. */
  private async claimUnheard(holder: Holder): Promise<void> {
    const [unheard] = await this.claimsOf(holder).claim(1);
    expect(unheard === undefined).toBe(this.expected.readyFor(holder).length === 0);
    expect(await holder.claims.giveBackUnheard()).toBe(unheard !== undefined);
  }

  /** Whoever no longer has a turn settles nothing and gives nothing back. */
  private async end(at: number, how: 'settle' | 'giveBack'): Promise<void> {
    if (this.handedOut.length === 0) return;
    const hand = this.handedOut[at % this.handedOut.length]!;
    const { job, claims } = hand;
    const turn = this.expected.held(job.id, job.incarnation);
    const isHeld = await this.ground.database.transaction(async (tx) => {
      const held = await job.isHeld();
      if (how === 'giveBack') await this.queue.giveBack(tx, { ...job, job_id: job.id });
      else if (held) await this.queue.settle(tx, job.id);
      return held;
    });
    expect(isHeld).toBe(turn !== undefined && this.expected.isLeased(job.incarnation));
    if (how === 'settle' && !isHeld) return;
    claims.letGo(job);
    this.handedOut.splice(this.handedOut.indexOf(hand), 1);
    if (how === 'settle') this.expected.remove(turn!);
    else if (turn !== undefined) turn.incarnation = null;
  }

  /** As a new incarnation; the one before takes nothing any more. */
  private async enter(at: number): Promise<void> {
    const before = this.expected.holders[at];
    const [executors, labels] = [EXECUTORS[at]!, LABELS[at]!];
    const { id, incarnation } = await this.ground.holderCalled(`holder ${at}`, executors, labels);
    const holder = { id, incarnation, executors, labels, isLive: true, isHome: true };
    this.expected.holders[at] = { ...holder, claims: this.claimsOf(holder) };
    expect(await before?.claims.claim(1)).toEqual(before && []);
  }

  private async lose(holder: Holder, how: keyof typeof ENDS): Promise<void> {
    await this.ground.database.query(`UPDATE runners SET ${ENDS[how]} WHERE runner_id = $1`, [holder.id]);
    holder.isLive = false;
    holder.isHome &&= how === 'silence';
  }

  /** Every turn whose incarnation has no lease is ended, every turn whose home is gone is free. */
  private async look(): Promise<void> {
    const { lost } = this.expected;
    const ended: string[] = [];
    const queue = await this.openQueue();
    queue.onLostTurn(async ({ job_id }) => {
      ended.push(job_id);
      await this.ground.database.transaction((tx) => queue.settle(tx, job_id));
    });
    await this.ground.clock.advance(2_000);
    await queue.stop(); // once it has looked
    expect(ended).toEqual(lost.map(({ job_id }) => job_id));
    for (const turn of lost) this.expected.remove(turn);
    this.expected.free();
  }

  /** Of a process that runs nothing. */
  private openQueue(): Promise<TurnQueue> {
    const [lost, replaced] = [AbortSignal.abort(), new AbortController().signal];
    const holder = {
      id: 'looker',
      incarnation: newId(),
      available: [],
      labels: [],
      isOfOneAttempt: false,
      lost,
      replaced,
    };
    return this.ground.openQueue(holder, this.limits);
  }

  private claimsOf({ id, incarnation, executors: available, labels }: ExpectedHolder): TurnClaims {
    const { signal } = this.ground.runner;
    const holder = { id, incarnation, available, labels, isOfOneAttempt: false, lost: signal, replaced: signal };
    return new TurnClaims(this.ground.database, holder, this.limits);
  }

  private hand(job: LeasedJob, { incarnation, claims }: Holder): void {
    this.expected.turns.find(({ job_id }) => job_id === job.id)!.incarnation = incarnation;
    this.handedOut.push({ job, claims });
  }
}
