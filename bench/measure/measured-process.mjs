import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const probe = path.join(import.meta.dirname, 'usage-probe.mjs');
const PROFILE = process.env.BENCH_PROFILE; // folder for CPU profiles of every measured process

/** A Node program of its own that can be asked for its CPU time and memory. */
export class MeasuredProcess {
  constructor(child, url, startMs) {
    this.child = child;
    this.url = url;
    this.startMs = startMs;
  }

  /** Waits until it says where it listens. @param env its whole environment beyond PATH, HOME and TMPDIR */
  static async start(program, env, ready = /(http:\/\/127\.0\.0\.1:\d+)/) {
    const { PATH, HOME, TMPDIR } = process.env;
    const startedAt = performance.now();
    const profile = PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE}`] : [];
    const child = spawn(process.execPath, ['--enable-source-maps', ...profile, '--import', probe, program], {
      env: { ...(TMPDIR ? { TMPDIR } : {}), PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const [, url] = await said(child, ready);
    return new MeasuredProcess(child, url, performance.now() - startedAt);
  }

  /** @returns {Promise<{ cpuUs: number, rssBytes: number, peakRssBytes: number }>} since its start */
  async usage() {
    this.child.send('usage');
    const [usage] = await once(this.child, 'message');
    return usage;
  }

  kill() {
    this.child.kill('SIGKILL');
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}

/** The first match in its standard output. @throws where it ends first */
export function said(child, pattern) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = pattern.exec(output);
      if (found) resolve(found);
    });
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}: ${output}`)));
  });
}
