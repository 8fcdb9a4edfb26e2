import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { FragileLine } from '../../support/fragile-line.js';
import { ShellUser } from '../../support/shell-user.js';

/** In place of the five minutes that fetch waits for an answer. */
const WAITS_BRIEFLY = `
  await fetch('data:,');
  const dispatcher = Symbol.for('undici.globalDispatcher.1');
  globalThis[dispatcher] = new globalThis[dispatcher].constructor({ headersTimeout: 300 });`;

const board = Board.share();
let user: ShellUser;
beforeAll(() => {
  user = new ShellUser(board.server.url);
});
afterAll(() => user.remove());

describe('taskyard export', () => {
  it('writes what taskyard import takes', async () => {
    const { repository: own } = await board.project();
    const at = (...args: string[]) => user.types(args, own.dir);
    await at('run', 'true', '--watch', '--executor', 'SHELL');
    const file = path.join(user.home, 'shop.ndjson');
    expect((await at('export', file)).code).toBe(0);
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n')[0]).toContain('"format":"taskyard-export"');
    const again = await at('export', file);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')]);
    const kinds = (lines: string) => lines.match(/"kind":"\w+"/g);
    expect(kinds((await at('export')).stdout)).toEqual(kinds(text));
    const tried = await at('import', file, '--dry-run', '--json');
    expect([tried.code, JSON.parse(tried.stdout)]).toEqual([0, expect.objectContaining({ dry_run: true })]);
    const cut = await user.types(['import', '-'], own.dir, text.slice(0, text.lastIndexOf('{')));
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/^line \d+: .*cut off/)]);
    expect((await at('import', path.join(user.home, 'none.ndjson'))).code).toBe(2);
  });

  it('is imported however long the server takes to answer', async () => {
    const { repository: own } = await board.project();
    const file = path.join(user.home, 'slow.ndjson');
    expect((await user.types(['export', file], own.dir)).code).toBe(0);
    const line = await FragileLine.open();
    line.lead(board.server.url);
    const hasty = new ShellUser(board.server.url, {
      TASKYARD_URL: line.addressFor(board.server.url),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WAITS_BRIEFLY)}`,
    });
    line.hold();
    const importing = hasty.start(['import', file, '--dry-run']);
    const listing = await hasty.types(['list', '--projects']);
    expect([listing.code, listing.stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
    line.heal();
    expect([await importing.ended, importing.stderr]).toEqual([0, '']);
    expect(importing.stdout).toContain('already there: 1 project');
    await line.close();
    hasty.remove();
  });
});
