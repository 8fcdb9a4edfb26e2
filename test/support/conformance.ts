import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const program = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const baselineFile = path.join(import.meta.dirname, '../contract/conformance-baseline.yml');

export interface ConformanceRun {
  /** 0 where everything fails or passes as the baseline expects, and no line of it is stale. */
  exitCode: number;
  /** What the suite printed, to show where the exit code is not 0. */
  output: string;
  /** Scenario → the worst of its checks. */
  scenarios: Record<string, 'SUCCESS' | 'WARNING' | 'FAILURE'>;
}

/** Runs the suite's active server scenarios against an endpoint whose host is a loopback name. */
export async function runConformance(url: string, baseline = baselineFile): Promise<ConformanceRun> {
  const results = await mkdtemp(path.join(os.tmpdir(), 'conformance-'));
  try {
    const { exitCode, output } = await run([
      'server',
      '--url',
      url,
      '--expected-failures',
      baseline,
      '--output-dir',
      results,
    ]);
    return { exitCode, output, scenarios: await readResults(results) };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

function run(args: string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject).on('close', (code) => resolve({ exitCode: code ?? -1, output }));
  });
}

/** The suite keeps one folder for each scenario, `server-<scenario>-<time>`, with its checks. */
async function readResults(folder: string): Promise<ConformanceRun['scenarios']> {
  const entries = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const checks = JSON.parse(await readFile(path.join(folder, name, 'checks.json'), 'utf8')) as { status: string }[];
      return [
        name.replace(/^server-(.*?)-\d{4}-\d\d-\d\dT.*$/, '$1'),
        worst(checks.map((check) => check.status)),
      ] as const;
    }),
  );
  return Object.fromEntries(entries);
}

const worst = (statuses: string[]) =>
  (['FAILURE', 'WARNING'] as const).find((status) => statuses.includes(status)) ?? 'SUCCESS';
