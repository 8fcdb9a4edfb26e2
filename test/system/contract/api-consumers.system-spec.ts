import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../../..');
const accepted = path.join(root, 'test/contract/snapshots/openapi.json');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'api-consumers-'));
});
afterAll(() => rm(folder, { recursive: true }));

const lint = async (file: string): Promise<string[]> => {
  const { stdout } = await run('node', [path.join(root, 'test/support/lint-document.mjs'), file]);
  return JSON.parse(stdout) as string[];
};

describe('consumers of the OpenAPI document', () => {
  it('find no error by the recommended rules of Redocly and Spectral, which find those that are there', async () => {
    const file = path.join(folder, 'faulty.json');
    const paths = { '/x': { get: { operationId: 1 } } };
    await writeFile(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, servers: [], paths }));
    const [none, some] = await Promise.all([lint(accepted), lint(file)]);
    expect(none).toEqual([]);
    expect(some.join()).toMatch(/redocly no-empty-servers.*spectral oas3-schema/s);
  });

  it('get a client whose types refuse what the server would refuse', async () => {
    await run('node', [path.join(root, 'scripts/api-types.mjs')]);
    const consumer = path.join(root, 'test/fixtures/api-consumer');
    await run('npx', ['tsc', '--incremental', 'false', '-p', consumer], { cwd: root }).catch((failed: Error) => {
      throw new Error((failed as Error & { stdout: string }).stdout);
    });
  });
});
