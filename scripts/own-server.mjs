import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const main = path.join(import.meta.dirname, '..', 'dist', 'src', 'main.js');

/** A server in a folder of its own, on DATABASE_URL or with its embedded database, and its REST API. */
export class OwnServer {
  constructor(process, url, data) {
    this.process = process;
    this.url = url;
    this.data = data;
  }

  static async start(folder) {
    const data = path.join(folder, 'data');
    const own = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: data, LOG_LEVEL: 'warn', TASKFLOW_SERVICE_TOKEN: '' };
    const env = { ...process.env, ...own };
    const server = spawn(process.execPath, ['--enable-source-maps', main], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise((resolve, reject) => {
      let output = '';
      server.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
        const [, found] = /MCP\s+(http\S+)\/mcp/.exec(output) ?? [];
        if (found) resolve(found);
      });
      server.once('exit', () => reject(new Error('the server did not start')));
    });
    return new OwnServer(server, url, data);
  }

  /** The server makes one where its runs have walls; elsewhere none is needed. */
  get token() {
    const file = path.join(this.data, 'local-token');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  }

  get asOwner() {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` };
  }

  /** @returns the body of the answer; throws likewise */
  async rest(method, address, body) {
    return (await this.send(method, address, body)).answer;
  }

  /** @throws with the server's words if it refuses */
  async send(method, address, body) {
    const response = await fetch(this.url + address, {
      method,
      headers: { ...this.asOwner, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${address}: ${answer.message}`);
    return { status: response.status, answer };
  }

  async end() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'exit');
  }
}
