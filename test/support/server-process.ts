import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { GitSandbox } from './git-repository.js';
import { rememberToken } from './local-tokens.js';
import { McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';

const program = path.join(import.meta.dirname, '../../dist/bundle/main.js');

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** The built server as a process of its own, as `npm start` runs it, with nothing of this process's environment
 *  but the paths. */
export class ServerProcess {
  readonly rest: RestClient;
  /** Settles when the process is gone and all it said is read. */
  readonly exited: Promise<ServerExit>;
  private readonly clients: McpClient[] = [];
  private static readonly live = new Set<ServerProcess>();

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly settings: Record<string, string>,
    readonly repositories: GitSandbox,
    exited: Promise<ServerExit>,
    private readonly outputSoFar: () => string,
  ) {
    this.rest = new RestClient(url, this.headers);
    this.exited = exited;
    ServerProcess.live.add(this);
    void exited.then(() => ServerProcess.live.delete(this));
  }

  /** For `afterEach`: what a test left running because it failed. */
  static async endLeft(): Promise<void> {
    await Promise.all([...ServerProcess.live].map((server) => server.end('SIGKILL')));
  }

  /** Once it says where it listens. @throws with what it said where it ends instead */
  static async start(settings: Record<string, string>, repositories = new GitSandbox()): Promise<ServerProcess> {
    const { child, exited, said, outputSoFar } = launch(settings);
    const [, url] = await said(/(?:MCP|Probes) +(http:\S+)\/(?:mcp|health\/ready)\n/);
    if (settings.DATA_DIR) rememberToken(url!, settings.DATA_DIR);
    return new ServerProcess(child, url!, settings, repositories, exited, outputSoFar);
  }

  /** All that it has said until now, its log included. */
  get output(): string {
    return this.outputSoFar();
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** A start that is expected to end by itself. */
  static run(settings: Record<string, string>): Promise<ServerExit> {
    return launch(settings).exited;
  }

  /** Of its owner, by the token that the settings name. */
  private get headers(): Record<string, string> {
    const token = this.settings.TASKFLOW_SERVICE_TOKEN;
    return token ? { authorization: `Bearer ${token}` } : {};
  }

  async mcp(endpoint = '/mcp'): Promise<McpClient> {
    const client = await McpClient.connect(`${this.url}${endpoint}`, this.headers);
    this.clients.push(client);
    return client;
  }

  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.settings.DATABASE_URL });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as T[];
    } finally {
      await client.end();
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The repositories stay for the next one. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<ServerExit> {
    this.child.kill(signal);
    const exit = await this.exited;
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
    return exit;
  }

  /** Another one with the same settings, data folder and repositories. */
  startAgain(settings: Record<string, string> = {}): Promise<ServerProcess> {
    return ServerProcess.start({ ...this.settings, ...settings }, this.repositories);
  }
}

function launch(settings: Record<string, string>) {
  const { PATH, HOME, TMPDIR } = process.env as Record<string, string>;
  const paths = Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR }).filter(([, value]) => value !== undefined));
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env: { ...paths, PORT: '0', INTERNAL_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal, output }));
  const said = (text: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = text.exec(output);
        if (found) resolve(found);
      };
      child.stdout.on('data', look);
      void exited.then((exit) =>
        reject(new Error(`the server ended with ${exit.code ?? exit.signal}: ${exit.output}`)),
      );
    });
  return { child, exited, said, outputSoFar: () => output };
}
