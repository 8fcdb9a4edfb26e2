import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenEndedAttempt, givenProject } from '../../support/board.js';
import { InProcessServer } from '../../support/in-process-server.js';
import type { McpClient } from '../../support/mcp-client.js';
import { ParentProxy } from '../../support/parent-proxy.js';

const REGISTRY = 'http://registry.npmjs.org';

/** A package as a registry hands it out. */
function packed(): Buffer {
  const folder = mkdtempSync('/tmp/taskyard-package-');
  mkdirSync(path.join(folder, 'package'));
  writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0' }));
  execFileSync('tar', ['-czf', 'tiny.tgz', 'package'], { cwd: folder });
  const content = readFileSync(path.join(folder, 'tiny.tgz'));
  rmSync(folder, { recursive: true });
  return content;
}

/** A lock file that names the package at the registry. */
function lockOf(content: Buffer): object {
  const dependencies = { tiny: '1.0.0' };
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const tiny = { version: '1.0.0', resolved: `${REGISTRY}/tiny/-/tiny-1.0.0.tgz`, integrity };
  const packages = { '': { name: 'app', version: '1.0.0', dependencies }, 'node_modules/tiny': tiny };
  return { name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
}

describe('npm ci behind a list of hosts', () => {
  const content = packed();
  const registry = http.createServer((_, response) => response.end(content));
  let parent: ParentProxy;
  let server: InProcessServer;
  let client: McpClient;
  beforeAll(async () => {
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
    parent = await ParentProxy.start((registry.address() as AddressInfo).port);
    server = await InProcessServer.start({ RUN_NETWORK: 'auto', EGRESS_PROXY: parent.url });
    client = await server.mcp();
  });
  afterAll(async () => {
    await server.stop();
    parent.stop();
    registry.close();
  });

  async function install(presets: string[]): Promise<string> {
    const { project_id } = await givenProject(server);
    await server.rest.does('PUT', `/api/projects/${project_id}`, { network: 'listed', presets });
    const files = { 'package.json': { name: 'app', version: '1.0.0', dependencies: { tiny: '1.0.0' } } };
    const script = Object.entries({ ...files, 'package-lock.json': lockOf(content) })
      .map(([name, value]) => `echo '${JSON.stringify(value)}' > ${name}`)
      .concat(`npm ci --no-audit --no-fund --fetch-retries 0 --registry ${REGISTRY} 2>&1; ls node_modules`);
    const { attempt_id } = await givenEndedAttempt(client, project_id, script.join('\n'));
    return (await allRawLines(client, attempt_id as string)).join('\n');
  }

  it('works with the preset npm', async () => {
    const said = await install(['npm']);
    expect(said).toMatch(/added 1 package/);
    expect(said).toMatch(/\ntiny$/);
  });

  it('fails without, and says that the host is refused', async () => {
    const said = await install([]);
    expect(said).toMatch(/403/);
    expect(said).toContain('registry.npmjs.org');
    expect(said).not.toMatch(/added 1 package/);
  });
});
