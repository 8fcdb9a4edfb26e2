import { setTimeout as delay } from 'node:timers/promises';
import { ChaosCalls } from './chaos-calls.js';
import { ChaosCluster, MEMBERS, TOKEN } from './chaos-cluster.js';
import { plannedRuns, type RunGround, workOff } from './chaos-runs.js';
import { type ChaosPlan, type Fault, scheduleOf } from './chaos-schedule.js';
import { endings, followUps, judge, leftovers, type Verdict } from './chaos-verdict.js';
import { Witness } from './witness.js';

const AT_ONCE = 14;

export interface ChaosReport {
  schedule: Fault[];
  endings: Record<string, number>;
  calls: { made: number; repeated: number };
  verdict: Verdict;
}

/** Short runs on a cluster of real processes while one after another of them, or the database, is harmed. */
export async function chaos(plan: ChaosPlan): Promise<ChaosReport> {
  const cluster = await ChaosCluster.start();
  const witness = await Witness.open();
  try {
    const calls = new ChaosCalls(() => cluster.urls, TOKEN);
    const ground = { calls, witness, project_id: await givenProject(cluster, calls) };
    return await tryOut(plan, cluster, ground);
  } finally {
    await cluster.end();
    witness.close();
    await cluster.remove();
  }
}

async function tryOut(plan: ChaosPlan, cluster: ChaosCluster, ground: RunGround): Promise<ChaosReport> {
  const schedule = scheduleOf(plan, MEMBERS);
  const runs = plannedRuns(plan.seed, plan.runs);
  await Promise.all([inflictAll(schedule, cluster), workOff(runs, ground, AT_ONCE)]);
  await cluster.mended();
  const verdict = await judge(runs, ground, cluster);
  const told = await endings(cluster);
  Object.assign(verdict, await followUps(runs, ground, cluster), await leftovers(runs, ground, cluster));
  const { calls: made, repeated } = ground.calls;
  return { schedule, endings: told, calls: { made, repeated }, verdict };
}

async function inflictAll(schedule: readonly Fault[], cluster: ChaosCluster): Promise<void> {
  const start = performance.now();
  for (const fault of schedule) {
    await delay(Math.max(0, start + fault.at_ms - performance.now()));
    await cluster.inflict(fault);
  }
}

async function givenProject(cluster: ChaosCluster, calls: ChaosCalls): Promise<string> {
  const repository = cluster.repositories.repository('web', { 'readme.md': '# chaos\n' });
  const body = { name: 'Chaos', repos: [{ path: repository.dir, name: 'web' }] };
  const project_id = (await calls.send('POST', '/api/projects', body)).project_id as string;
  const retries = { transient: false, infra: false }; // turns are counted against what was asked for
  await calls.send('PUT', `/api/projects/${project_id}`, { retries });
  return project_id;
}

/** As a table: what was done, what became of the turns, and each rule with how often it was broken. */
export function tableOf({ schedule, endings: told, calls, verdict }: ChaosReport, { seed, runs }: ChaosPlan): string {
  const kinds = [...new Set(schedule.map(({ kind }) => kind))].sort();
  const faults = kinds.map((kind) => `${kind} ${schedule.filter((fault) => fault.kind === kind).length}`).join(', ');
  return [
    `CHAOS_SEED=${seed}: ${runs} runs, ${schedule.length} faults (${faults}); ` +
      `${calls.made} calls, ${calls.repeated} tries again`,
    '',
    ...Object.entries(told).map(([how, count]) => `${String(count).padStart(5)}  ${how}`),
    '',
    ...Object.entries(verdict).map(([rule, broken]) => `${String(broken.length).padStart(5)}  broken: ${rule}`),
    ...Object.values(verdict).flatMap((broken) => broken.slice(0, 8).map((how) => `       ${how}`)),
  ].join('\n');
}
