import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CallingRun } from '../../support/calling-run.js';
import { givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase } from '../../support/database.js';
import { GitSandbox } from '../../support/git-repository.js';
import { onlyWith } from '../../support/machine.js';
import { ServerProcess } from '../../support/server-process.js';

const SELF_SIGNED = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

onlyWith('openssl', 'bubblewrap').describe('a run behind walls whose server is reached by https', () => {
  it('calls its own MCP endpoint by the way out, which checks the certificate of the server', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-tls-'));
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...SELF_SIGNED, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const [repositories, database] = [new GitSandbox(), await createTestDatabase()];
    let server: ServerProcess | undefined;
    const asked: string[] = [];
    const front = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { method, url, headers } = request;
      const onward = http.request(new URL(url!, server!.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    await once(front.listen(0, '127.0.0.1'), 'listening');
    try {
      const AGENT_API_URL = `https://localhost:${(front.address() as AddressInfo).port}`;
      const own = { DATABASE_URL: database.url, DATA_DIR: path.join(folder, 'data'), AGENT_API_URL };
      const settings = { ...CallingRun.settings(repositories), ...own, RUN_NETWORK: 'open' };
      const saidOf = async (more: Record<string, string>): Promise<string> => {
        server = await ServerProcess.start({ ...settings, ...more }, repositories);
        const client = await server.mcp();
        const { project_id } = await givenProject(server);
        const run = await CallingRun.start(client, project_id, repositories);
        await run.end();
        const { final_message } = await untilEnded(client, run.attempt_id);
        await server.end();
        return final_message as string;
      };
      expect(await saidOf({})).toMatch(/certificate/);
      expect(asked).toEqual([]);
      expect(await saidOf({ NODE_EXTRA_CA_CERTS: cert })).toContain('attempt_id');
      expect(asked).toEqual([expect.stringMatching(/^POST \/mcp\?attempt_id=/)]);
    } finally {
      await ServerProcess.endLeft();
      front.close();
      await database.drop();
      repositories.remove();
      rmSync(folder, { recursive: true });
    }
  });
});
