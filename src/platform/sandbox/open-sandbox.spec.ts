import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../../config/environment.js';
import { greeting } from '../../greeting.js';
import { openSandbox } from './open-sandbox.js';
import { onlyWith } from '../../../test/support/machine.js';

beforeAll(() => Logger.overrideLogger(false));

describe('a machine that cannot isolate runs', () => {
  const { PATH } = process.env;
  beforeEach(() => {
    process.env.PATH = '/nowhere'; // without bubblewrap
  });
  afterEach(() => {
    process.env.PATH = PATH;
  });
  const settings = (values: Record<string, string>) => loadEnvironment({ DATA_DIR: '/nowhere', ...values });
  const opened = (values: Record<string, string>) => openSandbox(settings(values));

  it('lets nobody beyond loopback start runs, unless ISOLATION=none is asked for by name', async () => {
    await expect(opened({ HOST: '0.0.0.0' })).rejects.toThrow(
      /^Runs cannot be isolated on this machine \(.*\) and HOST=0\.0\.0\.0 is open to the network: .* ISOLATION=none$/,
    );
    expect(await opened({ HOST: '0.0.0.0', ISOLATION: 'none' })).toMatchObject({ isolation: 'none' });
  });

  it('has no container for runs but the one that is named', async () => {
    await expect(opened({ ISOLATION: 'container' })).rejects.toThrow('needs CELL_SOCKET');
    const settings = { ISOLATION: 'container', CELL_SOCKET: '/nowhere/socket' };
    await expect(opened({ ...settings, RUN_NETWORK: 'none' })).rejects.toThrow(/^RUN_NETWORK=none needs walls/);
    expect(await opened({ ISOLATION: 'container', ROLE: 'api' })).toMatchObject({
      isolation: 'container',
      reason: null,
    });
  });

  it('serves on loopback, and where it runs nothing itself', async () => {
    expect(await opened({ HOST: '127.0.0.1' })).toMatchObject({ isolation: 'none' });
    expect(await opened({ HOST: '0.0.0.0', ROLE: 'api' })).toMatchObject({ isolation: 'none' });
  });

  it('greets with the reason', async () => {
    const sandbox = await opened({});
    expect(greeting('http://127.0.0.1:8000', settings({}), sandbox, String)).toContain(
      `not isolated: ${sandbox.reason}`,
    );
  });

  it.each([
    ['api', ['MCP', 'Swagger', 'mcpServers'], ['Runs']],
    ['runner', ['Probes', 'Metrics', 'Runs'], ['MCP', 'Swagger', 'mcpServers']],
  ] as const)('greets as %s with what it serves', async (ROLE, said, unsaid) => {
    const words = greeting('http://127.0.0.1:8000', settings({ ROLE }), await opened({}), String);
    expect([said.filter((word) => words.includes(word)), unsaid.filter((word) => words.includes(word))]).toEqual([
      said,
      [],
    ]);
  });
});

/** A bubblewrap that takes a second for whoever comes first. */
const SLOW_AT_FIRST = `#!/bin/sh
mkdir "$0.first" 2>/dev/null && sleep 1
PATH="\${PATH#*:}" exec bwrap "$@"
`;

onlyWith('bubblewrap').it('servers that start at the same time do not end the tries of each other', async () => {
  const { PATH } = process.env;
  const opened = () => openSandbox(loadEnvironment({ DATA_DIR: '/nowhere', ISOLATION: 'bubblewrap' }));
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-spec-'));
  writeFileSync(path.join(folder, 'bwrap'), SLOW_AT_FIRST, { mode: 0o755 });
  process.env.PATH = `${folder}:${PATH}`;
  try {
    const chosen = await Promise.all([opened(), opened()]);
    expect(chosen.map(({ isolation }) => isolation)).toEqual(['bubblewrap', 'bubblewrap']);
  } finally {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  }
});
