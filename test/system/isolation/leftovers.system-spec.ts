import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';
import { onlyWith } from '../../support/machine.js';

/** `npm run test:leftovers` asks for 200. */
const RUNS = Number(process.env.LEFTOVERS_RUNS ?? 28);
jest.setTimeout(60_000 + RUNS * 3_000);

/** In the command line of what a run leaves running, and in the names of what it leaves in temporary folders. */
const TRACE = `4${process.pid}${Date.now() % 1_000}`;
const LEAVING = `
  setsid env -i sleep ${TRACE} &
  setsid bash -c 'trap "" INT TERM HUP; sleep ${TRACE}' &
  for folder in /tmp /var/tmp "$TMPDIR"; do mktemp -d -p "$folder" ${TRACE}-XXXX > /dev/null; done
  echo ready
`;

interface Way {
  script: string;
  timeout_secs?: number;
  /** `stop_attempt` with this `force`. */
  force?: boolean;
  summary: string | null;
}
const ways: Record<string, Way> = {
  well: { script: 'true', summary: null },
  failed: { script: 'exit 3', summary: 'failed (exit_code=3)' },
  stopped: { script: 'sleep 600', force: false, summary: 'killed' },
  forced: { script: 'trap "" INT TERM; while :; do sleep 1; done', force: true, summary: 'killed' },
  'timed out': { script: 'sleep 600', timeout_secs: 1, summary: 'timed out after 1 s' },
  limited: { script: 'set -o pipefail; head -c 1G /dev/zero | tail', summary: expect.any(String) as never },
};
const KILLED = 'runner lost: the server was restarted';
/** Of each way at a time, and as many that run when the server is killed. */
const TOGETHER = 4;

onlyWith('bubblewrap').describe(`at least ${RUNS} runs that end in every way`, () => {
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess;
  let client: McpClient;
  let project_id: string;
  const ended: Json[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-leftovers-'));
    mkdirSync(path.join(folder, 'tmp'));
    database = await createTestDatabase();
    server = await ServerProcess.start({
      DATABASE_URL: database.url,
      DATA_DIR: path.join(folder, 'data'),
      TMPDIR: path.join(folder, 'tmp'),
      ISOLATION: 'bubblewrap',
      MAX_CONCURRENT_EXECUTIONS: '32',
      RUN_MEMORY_MAX: String(64 * 1024 ** 2),
    });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
    while (ended.length < RUNS) await aRound();
    await server.end();
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    await database.drop();
    server.repositories.remove();
    rmSync(folder, { recursive: true });
  });

  async function started({ script, timeout_secs }: Pick<Way, 'script' | 'timeout_secs'>): Promise<Json> {
    const task_id = await givenTask(client, project_id, LEAVING + script);
    return client.call('start_task_attempt', { task_id, executor: 'SHELL', timeout_secs });
  }

  /** @returns the run, with how it ended and how it should have */
  async function endedBy(name: string, way: Way): Promise<Json> {
    const run = await started(way);
    const attempt_id = run.attempt_id as string;
    if (way.force !== undefined) {
      await untilSaid(client, attempt_id, 'ready');
      await client.call('stop_attempt', { attempt_id, force: way.force });
    }
    const { failure_summary } = await untilEnded(client, attempt_id);
    return { run, name, failure_summary, expected: way.summary };
  }

  async function aRound(): Promise<void> {
    const all = Object.entries(ways).flatMap((way) => Array<typeof way>(TOGETHER).fill(way));
    const running = await Promise.all(Array.from({ length: TOGETHER }, () => started({ script: 'sleep 600' })));
    ended.push(...(await Promise.all(all.map(([name, way]) => endedBy(name, way)))));
    await Promise.all(running.map(({ attempt_id }) => untilSaid(client, attempt_id as string, 'ready')));
    expect(processes().length).toBeGreaterThan(TOGETHER); // each with its sandbox and what it leaves
    await server.end('SIGKILL');
    await eventually('the end of what ran', () => processes().length === 0);
    server = await server.startAgain();
    client = await server.mcp();
    for (const run of running) {
      const { failure_summary } = await untilEnded(client, run.attempt_id as string);
      ended.push({ run, name: 'server killed', failure_summary, expected: KILLED });
    }
  }

  it('have ended as they should', () => {
    const odd = ended.filter(({ failure_summary, expected }) => {
      try {
        expect(failure_summary).toEqual(expected);
        return false;
      } catch {
        return true;
      }
    });
    expect(odd).toEqual([]);
  });

  /** Command lines with the trace of a run, or of the sandbox around one. */
  const processes = (): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandLine)
      .filter((line) => line.includes(`sleep ${TRACE}`) || line.includes(folder));

  it('leave no process', () => {
    expect(processes()).toEqual([]);
  });

  it('leave no mount', () => {
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
  });

  it('leave no temporary folder', () => {
    const places = ['/tmp', '/var/tmp', path.join(folder, 'tmp')];
    expect(places.flatMap((place) => readdirSync(place)).filter((name) => name.startsWith(TRACE))).toEqual([]);
    expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });

  it('leave no control group', () => {
    const groups = spawnSync('find', ['/sys/fs/cgroup', '-name', 'run-taskyard-*'], { encoding: 'utf8' }).stdout;
    const ours = ended.map(({ run }) => (run as Json).execution_process_id as string);
    expect(groups.split('\n').filter((group) => ours.some((id) => group.endsWith(id)))).toEqual([]);
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it ended while we looked
  }
}
