import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FragileDatabase } from '../fragile-database.js';
import { GitSandbox } from '../git-repository.js';
import { CLUSTER_SECRET } from '../server.js';
import { ChaosMember } from './chaos-member.js';
import { DATABASE, type Fault } from './chaos-schedule.js';

const ROLES = { 'api-1': 'api', 'api-2': 'api', 'runner-1': 'runner', 'runner-2': 'runner', 'runner-3': 'runner' };
export const MEMBERS = Object.keys(ROLES);
export const TOKEN = 'a token of at least thirty-two characters';

/** Two replicas, three runners and one database, each of which anything may happen to. */
export class ChaosCluster {
  readonly repositories = new GitSandbox();
  private readonly members = new Map<string, ChaosMember>();
  private readonly mending: Promise<void>[] = [];
  private restarted = Promise.resolve();

  private constructor(
    readonly database: FragileDatabase,
    private readonly folder: string,
  ) {}

  static async start(): Promise<ChaosCluster> {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-chaos-'));
    const cluster = new ChaosCluster(await FragileDatabase.start(), folder);
    for (const [name, role] of Object.entries(ROLES)) await cluster.add(name, role);
    await Promise.all([...cluster.members.values()].map((member) => member.start()));
    return cluster;
  }

  /** Where requests can be sent. */
  get urls(): string[] {
    return this.replicas.map(({ url }) => url).filter((url) => url !== null);
  }

  async inflict(fault: Fault): Promise<void> {
    if (fault.victim === DATABASE) return this.restartDatabase(fault.for_ms);
    const member = this.members.get(fault.victim)!;
    await member.untilUp();
    if (fault.kind === 'kill') return member.kill(fault.for_ms);
    const mend = this.harm(member, fault);
    this.mending.push(delay(fault.for_ms).then(mend));
  }

  /** Nothing is broken any more, and everybody is up. */
  async mended(): Promise<void> {
    await Promise.all(this.mending);
    await Promise.all([...this.members.values()].map((member) => member.untilUp()));
  }

  /** Attempts of which a runner still has worktrees, by its name. */
  worktrees(): string[] {
    return this.runners.flatMap(({ name, dataDir }) =>
      readdirSync(path.join(dataDir, 'worktrees'))
        .filter((entry) => entry !== '.trash')
        .map((attempt_id) => `${name}/${attempt_id}`),
    );
  }

  /** Everybody in order. @returns exit codes by name */
  async end(): Promise<Record<string, number | null>> {
    const codes = [...this.members].map(async ([name, member]) => [name, await member.end()] as const);
    return Object.fromEntries(await Promise.all(codes));
  }

  async remove(): Promise<void> {
    await this.database.stop();
    this.repositories.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get replicas(): ChaosMember[] {
    return [...this.members.values()].filter(({ name }) => name.startsWith('api'));
  }

  private get runners(): ChaosMember[] {
    return [...this.members.values()].filter(({ name }) => name.startsWith('runner'));
  }

  private async add(name: string, role: string): Promise<void> {
    const line = await this.database.openLine();
    const settings = {
      ROLE: role,
      DATABASE_URL: this.database.addressOver(line),
      DATA_DIR: path.join(this.folder, name),
      CLUSTER_SECRET,
      TASKFLOW_SERVICE_TOKEN: TOKEN,
      INTERNAL_PORT: '0',
      INTERNAL_ADDRESS: '127.0.0.1:0',
      RUNNER_LOST_SECS: '4',
      WORKSPACE_SAVE_SECS: '2',
      MAX_CONCURRENT_EXECUTIONS: '4',
      AGENT_API_URL: 'http://127.0.0.1:9',
      RUN_NETWORK: 'host', // the witness is on loopback
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: process.env.CHAOS_LOG_LEVEL ?? 'warn',
    };
    this.members.set(name, new ChaosMember(name, settings, this.repositories, line));
  }

  private harm(member: ChaosMember, { kind }: Fault): () => void {
    if (kind === 'stop') return member.freeze();
    if (kind === 'hold') member.line.hold();
    else member.line.cut();
    return () => member.line.heal();
  }

  /** Not before it is up again from the last time, which takes long on a busy machine. */
  private restartDatabase(down_ms: number): void {
    this.restarted = this.restarted.then(async () => {
      await this.database.kill();
      await delay(down_ms);
      await this.database.startAgain();
    });
    this.mending.push(this.restarted);
  }
}
