import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { Program } from '../../support/program.js';
import { ServerProcess } from '../../support/server-process.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TOKEN = 'a-token-that-no-log-may-ever-hold-0123456789';
type Line = Record<string, unknown>;

/** Takes what a collector of OpenTelemetry takes; refuses the first batch. */
class Collector {
  readonly received: Buffer[] = [];
  private batches = 0;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => this.received.push(chunk));
      request.on('end', () => response.writeHead(this.batches++ === 0 ? 400 : 200).end());
    }).listen(0, '127.0.0.1');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describe('logs, traces and metrics of a turn', () => {
  const collector = new Collector();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-telemetry-'));
  let database: TestDatabase;
  let server: ServerProcess;
  let attempt_id: string;
  let metrics: string;
  let output: string;
  let refused: string;
  let rejected: string;
  let broken: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await ServerProcess.start({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ISOLATION: 'none',
      LOG_LEVEL: 'debug',
      TASKFLOW_SERVICE_TOKEN: TOKEN,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    attempt_id = await runOnce();
    await server.query('ALTER TABLE workers RENAME TO workers_away');
    broken = await refusal(500, TOKEN);
    await server.query('ALTER TABLE workers_away RENAME TO workers');
    rejected = await refusal(401, 'wrong'); // written to the audit log behind its answer, by a table that is there
    refused = (await server.rest.get(`/api/tasks/${attempt_id}`)).headers.get('x-request-id')!;
    metrics = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
    ({ output } = await server.end());
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    collector.close();
    await database.drop();
    server.repositories.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A turn that fails, started by a caller who traces. */
  async function runOnce(): Promise<string> {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
    };
    const send = async (url: string, body: object) => {
      const answer = await fetch(`${server.url}/api${url}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(201);
      return (await answer.json()) as Record<string, string>;
    };
    const repo = server.repositories.repository('traced');
    const { project_id } = await send('/projects', { name: 'Traced', repos: [{ path: repo.dir }] });
    const { task_id } = await send(`/projects/${project_id}/tasks`, { title: 'Trace' });
    const { attempt_id: id } = await send(`/tasks/${task_id}/attempts`, {
      executor: 'SHELL',
      prompt: 'echo "trace: $TRACEPARENT"; exit 3',
    });
    await eventually('the end of the turn', async () => {
      const answer = await fetch(`${server.url}/api/attempts/${id}?wait_ms=5000`, { headers });
      return ((await answer.json()) as { state: string }).state === 'failed';
    });
    await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } }),
    });
    return id!;
  }

  /** @returns the id of a request that is answered with the status */
  async function refusal(status: number, token: string): Promise<string> {
    const answer = await fetch(`${server.url}/api/workers`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(status);
    return answer.headers.get('x-request-id')!;
  }

  const lines = (): Line[] =>
    output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));

  it('names the request, the attempt, the turn, the execution and the trace in each line of the log', () => {
    const ended = lines().find(({ msg }) => msg === 'an execution ended');
    expect(ended).toMatchObject({
      level: 'info',
      'service.name': 'taskyard',
      role: 'all',
      trace_id: TRACE,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      attempt_id,
      job_id: expect.any(String),
      execution_process_id: expect.any(String),
      project_id: expect.any(String),
      task_id: expect.any(String),
      runner_id: expect.any(String),
      run_reason: 'codingagent',
      status: 'failed',
      exit_code: 3,
    });
    expect(new Date(ended!.time as string).getTime()).toBeGreaterThan(0);
  });

  it('has the request id of the answer in its warnings and errors', () => {
    const told = lines().filter(({ level, request_id }) => level !== 'debug' && request_id !== undefined);
    const toldOf = (id: string) =>
      told.filter(({ request_id }) => request_id === id).map(({ level, context }) => [level, context]);
    expect([toldOf(rejected), toldOf(broken)]).toEqual([[['warn', 'Access']], [['error', 'Errors']]]);
  });

  it('blames no request for a collector that does not take the spans', () => {
    const complaints = lines().filter(({ context }) => context === 'Tracing');
    expect(complaints).not.toEqual([]);
    expect(complaints.filter(({ request_id, trace_id }) => request_id ?? trace_id)).toEqual([]);
  });

  it('has one line an answer at debug, with the request id that the answer names', () => {
    const answers = lines().filter(({ msg, context }) => context === 'Http' && msg === 'answered');
    expect(answers.filter(({ request_id }) => request_id === refused)).toEqual([
      expect.objectContaining({ level: 'debug', method: 'GET', route: '/api/tasks/:task_id', status: 404 }),
    ]);
    expect(new Set(answers.map(({ request_id }) => request_id)).size).toBe(answers.length);
  });

  it('tells no secret', () => {
    expect(output).not.toContain(TOKEN);
    expect(output).not.toContain(new URL(database.url).password || 'no password');
    expect(Buffer.concat(collector.received).includes(TOKEN)).toBe(false);
  });

  it('sends the spans of the call, the turn, its execution and git, all of the trace of the caller', () => {
    const spans = Buffer.concat(collector.received);
    for (const name of ['POST /api/tasks/:task_id/attempts', 'turn', 'execution', 'git ', 'tools/call list_projects'])
      expect([name, spans.includes(name)]).toEqual([name, true]);
    expect(spans.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
  });

  it('hands the trace on to the agent', async () => {
    const [row] = await server.query<{ entries: string }>(
      "SELECT entries::text FROM log_chunks WHERE attempt_id = $1 AND channel = 'raw'",
      [attempt_id],
    );
    expect(row!.entries).toContain(`trace: 00-${TRACE}-`);
  });

  it('counts what happened', () => {
    for (const series of [
      /^taskyard_build_info\{version="[^"]+",role="all"\} 1$/m,
      /^taskyard_tool_calls_total\{toolset="kanban",tool="list_projects",code="ok"\} 1$/m,
      /^taskyard_tool_call_duration_seconds_count\{toolset="kanban",tool="list_projects"\} 1$/m,
      /^taskyard_http_request_duration_seconds_count\{[^}]*route="\/api\/tasks\/:task_id\/attempts",status="201"\} 1$/m,
      /^taskyard_executions_ended_total\{executor="SHELL",run_reason="codingagent",status="failed"\} 1$/m,
      /^taskyard_execution_duration_seconds_count\{run_reason="codingagent"\} 1$/m,
      /^taskyard_queue_wait_seconds_count 1$/m,
      /^taskyard_queue_depth 0$/m,
      /^taskyard_queue_oldest_age_seconds 0$/m,
      /^taskyard_slots\{state="free"\} 8$/m,
      /^taskyard_log_lines_total\{channel="raw"\} [1-9]/m,
      /^taskyard_database_connections\{state="idle"\} \d+$/m,
      /^taskyard_authentication_failures_total 1$/m,
      /^taskyard_open_requests 0$/m,
    ])
      expect(metrics).toMatch(series);
  });
});

it('loads no SDK where no variable asks for one', async () => {
  const look = (settings: Record<string, string>) => loadedModules(settings);
  expect(await look({})).toBe('0');
  expect(await look({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' })).toBe('0');
  expect(Number(await look({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }))).toBeGreaterThan(10);
});

async function loadedModules(settings: Record<string, string>): Promise<string> {
  const program = Program.script(
    `import Module from 'node:module';
     import { loadEnvironment } from './config/environment.js';
     import { startTracing } from './platform/telemetry/start-tracing.js';
     const tracing = await startTracing(loadEnvironment());
     console.log(Object.keys(Module._cache).filter((file) => /@opentelemetry.(sdk|exporter)/.test(file)).length);
     await tracing.stop();`,
    settings,
  );
  expect(await program.ended).toBe(0);
  return program.stdout.trim();
}
