import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import type { RestClient } from '../support/rest-client.js';

/** What compose.yaml gives a container, but for its network: the one of this machine, where the database is. */
const CONFINED = [
  ...['--network', 'host', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--tmpfs', '/tmp:exec,nosuid,nodev', '--tmpfs', '/home/taskyard:exec,nosuid,nodev'],
];

export class Container {
  private constructor(readonly id: string) {}

  static start(image: string, settings: Record<string, string>, options: string[] = []): Container {
    const environment = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    return new Container(podman('run', '--detach', ...CONFINED, ...options, ...environment, image).trim());
  }

  /** What a program in it says. */
  exec(...command: string[]): string {
    return podman('exec', this.id, ...command);
  }

  fails(...command: string[]): boolean {
    try {
      this.exec(...command);
      return false;
    } catch {
      return true;
    }
  }

  async ready(url: string): Promise<void> {
    await eventually(
      `the container to be ready: ${this.log().slice(-2_000)}`,
      () => answers(`${url}/health/ready`),
      60_000,
    );
  }

  log(): string {
    return podman('logs', this.id);
  }

  /** Stops it as an orchestrator does. @returns its exit code */
  async stop(graceSeconds = 30): Promise<number> {
    await promisify(execFile)('podman', ['stop', '--time', String(graceSeconds), this.id]);
    return Number(podman('inspect', '--format', '{{.State.ExitCode}}', this.id));
  }

  remove(): void {
    podman('rm', '--force', '--volumes', this.id);
  }
}

/** @throws with what it said */
export function podman(...args: string[]): string {
  return execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** @returns what was created @throws with the refusal */
export async function made(rest: RestClient, url: string, input: object): Promise<Record<string, string>> {
  const { status, body } = await rest.post(url, input);
  if (status !== 201) throw new Error(`POST ${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}
