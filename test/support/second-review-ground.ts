import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { givenProject, givenTask } from './board.js';
import { eventually } from './eventually.js';
import { GitSandbox } from './git-repository.js';
import type { Json, McpClient } from './mcp-client.js';
import type { RestClient } from './rest-client.js';
import { TestServer } from './server.js';

const agent = path.join(import.meta.dirname, '../fixtures/two-agents.mjs');
type Call = [name: string, args?: object];

/** Two agents: AUTHOR writes a line, REVIEWER makes the calls that a test gives it. */
export class TwoAgents {
  protected readonly sandbox = new GitSandbox();
  private readonly state = this.sandbox.path('agents');
  /** The settings file that declares them. */
  readonly declared = this.sandbox.path('executors.json');

  constructor() {
    const declare = (id: string) => ({
      ...{ id, command: process.execPath, args: [agent], env: { ROLE: id.toLowerCase(), STATE: this.state } },
      ...{ protocol: 'acp', mcp: true, shared: [this.state] },
    });
    writeFileSync(this.declared, JSON.stringify({ executors: [declare('AUTHOR'), declare('REVIEWER')] }));
    this.forget();
  }

  /** The folder stays, in which a run of another test may still have it. */
  forget(): void {
    mkdirSync(this.state, { recursive: true });
    for (const name of readdirSync(this.state)) rmSync(path.join(this.state, name));
  }

  remove(): void {
    this.sandbox.remove();
  }

  /** What REVIEWER does in its next turns, one list each. */
  willCall(...turns: Call[][]): void {
    writeFileSync(path.join(this.state, 'calls'), turns.map((calls) => `${JSON.stringify(calls)}\n`).join(''));
  }

  open(gate: string): void {
    writeFileSync(path.join(this.state, gate), '');
  }

  /** What an agent has written down, a record each time. */
  notes(kind: 'author' | 'reviewer' | 'answers'): Json[] {
    const file = path.join(this.state, kind);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1) // what follows the last line end is being written
      .map((line) => JSON.parse(line) as Json);
  }
}

/** A server with these two. */
export class SecondReviewGround extends TwoAgents {
  server!: TestServer;
  rest!: RestClient;
  kanban!: McpClient;

  static use(settings: Record<string, string> = {}): SecondReviewGround {
    const ground = new SecondReviewGround();
    beforeAll(() => ground.start(settings));
    beforeEach(() => ground.forget());
    afterAll(() => ground.server.stop());
    return ground;
  }

  private async start(settings: Record<string, string>): Promise<void> {
    this.server = await TestServer.start({ ...settings, EXECUTORS_FILE: this.declared }, undefined, this.sandbox);
    this.rest = this.server.rest;
    this.kanban = await this.server.mcp();
  }

  /** A project whose work REVIEWER reviews. */
  async project(review: object = {}, settings: object = {}): Promise<string> {
    const { project_id } = await givenProject(this.server, { files: { 'work.txt': 'line one\n', 'old.txt': 'old\n' } });
    await this.rest.does('PUT', `/api/projects/${project_id}`, {
      ...settings,
      review: { executor: 'REVIEWER', ...review },
    });
    return project_id;
  }

  async begin(project_id: string): Promise<string> {
    const task_id = await givenTask(this.kanban, project_id, 'Add a line to work.txt', 'Write more');
    const started = await this.kanban.call('start_task_attempt', { task_id, executor: 'AUTHOR' });
    return started.attempt_id as string;
  }

  /** An attempt with which nothing goes on any more. */
  async settled(project_id: string): Promise<string> {
    const attempt_id = await this.begin(project_id);
    await this.untilSettled(attempt_id);
    return attempt_id;
  }

  untilSettled(attempt_id: string): Promise<unknown> {
    return eventually('an attempt that rests', async () => {
      await this.kanban.call('get_attempt_status', { attempt_id, wait_ms: 5_000 });
      const before = await this.runs(attempt_id);
      const { continuations } = await this.rest.does('GET', `/api/attempts/${attempt_id}/continuations`);
      const isDue = (continuations as Json[]).some((one) => ['due', 'queued'].includes(one.state));
      const after = await this.runs(attempt_id); // what was due before may have begun since
      return !isDue && after.length === before.length && !after.some((run) => / (queued|running)$/.test(run));
    });
  }

  async reviews(attempt_id: string): Promise<Json[]> {
    return this.server.query<Json>(
      `SELECT r.verdict, r.summary, r.refusal, r.work_print, s.role, e.status, e.failure_summary, e.started_by
       FROM agent_reviews r LEFT JOIN sessions s ON s.id = r.session_id LEFT JOIN executions e ON e.id = r.execution_id
       WHERE r.attempt_id = $1 ORDER BY r.number`,
      [attempt_id],
    );
  }

  /** Runs of an attempt in order, as `run_reason status`. */
  async runs(attempt_id: string): Promise<string[]> {
    const { executions } = await this.rest.does('GET', `/api/attempts/${attempt_id}/executions`);
    return (executions as Json[]).map(({ run_reason, status }) => `${run_reason} ${status}`).reverse();
  }

  async comments(attempt_id: string): Promise<Json[]> {
    return (await this.rest.does('GET', `/api/attempts/${attempt_id}/comments`)).comments as Json[];
  }
}

/** A call that submits a verdict. */
export const submit = (verdict: string, findings: object[] = [], summary = `I say ${verdict}.`): Call => [
  'submit_review',
  { verdict, summary, findings },
];

export const finding = (part: object = {}): object => ({
  ...{ path: 'web/work.txt', line: 2, severity: 'major', text: 'Say what the line is for.' },
  ...part,
});
