/** What can happen to a process, and to the database. */
type FaultKind = 'kill' | 'stop' | 'hold' | 'cut' | 'restart';

export interface Fault {
  /** Since the beginning. */
  at_ms: number;
  kind: FaultKind;
  victim: string;
  /** Until it is mended. */
  for_ms: number;
}

export interface ChaosPlan {
  seed: number;
  runs: number;
  for_ms: number;
  every_ms: number;
}

export const DATABASE = 'database';
const STOPPED_MS = 15_000;
/** Of a process that is started again: planned as if it were away for so long. */
const STARTING_MS = 3_000;

/** Draws, each from 0 up to 1, always the same for one seed (mulberry32). */
export function drawsOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One fault at a time, each for somebody who is well by then; the first comes when work has begun. */
export function scheduleOf({ seed, for_ms, every_ms }: ChaosPlan, processes: readonly string[]): Fault[] {
  const draw = drawsOf(seed);
  const wellAt = new Map([...processes, DATABASE].map((name) => [name, 0]));
  const schedule: Fault[] = [];
  for (let at_ms = every_ms; at_ms <= for_ms; at_ms += every_ms) {
    const isOfDatabase = draw() < 0.08;
    const well = [...wellAt].filter(([name, well_ms]) => well_ms <= at_ms && (name === DATABASE) === isOfDatabase);
    const picked = well[Math.floor(draw() * well.length)]?.[0];
    const { kind, for_ms: lasts_ms } = isOfDatabase
      ? { kind: 'restart' as const, for_ms: draw() * 1_500 }
      : drawn(draw);
    if (picked === undefined) continue;
    schedule.push({ at_ms, kind, victim: picked, for_ms: Math.round(lasts_ms) });
    wellAt.set(picked, at_ms + lasts_ms + STARTING_MS);
  }
  return schedule;
}

function drawn(draw: () => number): { kind: FaultKind; for_ms: number } {
  const which = draw();
  const share = draw();
  if (which < 0.4) return { kind: 'kill', for_ms: share * 4_000 };
  if (which < 0.6) return { kind: 'stop', for_ms: STOPPED_MS };
  if (which < 0.85) return { kind: 'hold', for_ms: 2_000 + share * 13_000 };
  return { kind: 'cut', for_ms: 500 + share * 12_000 };
}
