import type { QueueLimits } from '../../src/cluster/turn-claims.js';

export interface ExpectedTurn {
  job_id: string;
  project: number;
  executor: string;
  labels: string[];
  /** Empty where any may take it. */
  home: string;
  priority: number;
  /** That has it; null while it waits. */
  incarnation: string | null;
}

export interface ExpectedHolder {
  id: string;
  incarnation: string;
  executors: string[];
  labels: string[];
  isLive: boolean;
  /** Whether its turns wait for it. */
  isHome: boolean;
}

/** The rules of the queue of turns, in plain lists. */
export class ExpectedQueue<Holder extends ExpectedHolder> {
  /** Oldest first. */
  readonly turns: ExpectedTurn[] = [];
  readonly holders: Holder[] = [];

  constructor(private readonly limits: QueueLimits) {}

  /** What a holder may take now. */
  readyFor({ id, executors, labels, isLive }: Holder): ExpectedTurn[] {
    const mayRun = (turn: ExpectedTurn) =>
      executors.includes(turn.executor) && areAmong(turn.labels, labels) && ['', id].includes(turn.home);
    const ready = this.turns.filter((turn) => turn.incarnation === null && mayRun(turn) && this.room(turn) > 0);
    return isLive ? ready : [];
  }

  /** Of a turn that was taken so. */
  held(job_id: string, incarnation: string): ExpectedTurn | undefined {
    return this.turns.find((turn) => turn.job_id === job_id && turn.incarnation === incarnation);
  }

  get lost(): ExpectedTurn[] {
    return this.turns.filter(({ incarnation }) => incarnation !== null && !this.isLeased(incarnation));
  }

  get overCap(): ExpectedTurn[] {
    return this.turns.filter((turn) => this.room(turn) < 0);
  }

  isLeased(incarnation: string): boolean {
    return this.holders.some((holder) => holder.isLive && holder.incarnation === incarnation);
  }

  count(project: number): { waiting: number; running: number } {
    const all = this.turns.filter((turn) => turn.project === project);
    const running = all.filter(({ incarnation }) => incarnation !== null).length;
    return { waiting: all.length - running, running };
  }

  remove(turn: ExpectedTurn): void {
    this.turns.splice(this.turns.indexOf(turn), 1);
  }

  isHome({ isHome, labels }: Holder, needed: string[]): boolean {
    return isHome && areAmong(needed, labels);
  }

  /** Turns whose home is gone wait for it no more. */
  free(): void {
    for (const turn of this.turns.filter(({ incarnation }) => incarnation === null)) {
      const home = this.holders.find(({ id }) => id === turn.home);
      if (home === undefined || !this.isHome(home, turn.labels)) turn.home = '';
    }
  }

  /** How many more may run beside those that share a cap with it. */
  private room({ project, executor }: ExpectedTurn): number {
    const running = this.turns.filter(({ incarnation }) => incarnation !== null);
    const ofProject = this.limits.MAX_CONCURRENT_PER_PROJECT || Infinity;
    const ofExecutor = this.limits.MAX_CONCURRENT_PER_EXECUTOR[executor] ?? Infinity;
    return Math.min(
      ofProject - running.filter((turn) => turn.project === project).length,
      ofExecutor - running.filter((turn) => turn.executor === executor).length,
    );
  }
}

const areAmong = (needed: string[], labels: string[]): boolean => needed.every((label) => labels.includes(label));
