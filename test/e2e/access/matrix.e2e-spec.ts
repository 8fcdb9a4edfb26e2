import { beforeAll, describe, expect, it } from '@jest/globals';
import { rightOf } from '../../../src/platform/access/scopes.js';
import { acceptedDocument } from '../../support/accepted-file.js';
import { AccessGround } from '../../support/access-ground.js';
import {
  type Caller,
  expectedOf,
  type Probe,
  probesOf,
  type Table,
  tableOf,
  verdictOf,
} from '../../support/access-matrix.js';
import { InProcessServer } from '../../support/in-process-server.js';

const SECRET = 'the-token-that-makes-all-the-others';
const server = InProcessServer.use({ TASKFLOW_SERVICE_TOKEN: SECRET });

/** One caller at one operation, with the answer. */
interface Cell {
  caller: Caller;
  probe: Probe;
  verdict: string;
}
const cells: Cell[] = [];
let table: Table;

beforeAll(async () => {
  const document = acceptedDocument();
  const ground = new AccessGround(server, SECRET);
  await ground.prepare();
  table = tableOf(document);
  const probes = probesOf(document);
  const ask = async (caller: Caller) => {
    for (const probe of probes) {
      const isTaken = probe.isDestructive && expectedOf(caller, probe, table) === 'allowed';
      const ids = isTaken ? await ground.disposable() : ground.ids;
      cells.push({ caller, probe, verdict: verdictOf(await ground.ask(probe, caller, ids)) });
    }
  };
  for (const caller of ground.callers.filter(({ isRun }) => isRun)) await ask(caller);
  await ground.endRun();
  for (const caller of ground.callers.filter(({ isRun }) => !isRun)) await ask(caller);
}, 240_000);

const differences = (of: Table): string[] =>
  cells.flatMap(({ caller, probe, verdict }) => {
    const expected = expectedOf(caller, probe, of);
    return expected === verdict ? [] : [`${caller.name} at ${probe.name}: ${verdict}, not ${expected}`];
  });

describe('every operation and tool, asked for by every kind of caller', () => {
  it('answers as the one table says', () => {
    console.log(`${cells.length} answers of ${new Set(cells.map(({ probe }) => probe.name)).size} operations`);
    expect(cells.length).toBeGreaterThan(2_000);
    expect(differences(table)).toEqual([]);
  });

  it('would not answer so by any other table', () => {
    const unnoticed = [...table.keys()].filter((key) => {
      if (!cells.some(({ probe }) => probe.key === key)) return false;
      const scope = table.get(key)?.scope === 'deliver' ? 'admin' : 'deliver';
      return differences(new Map([...table, [key, rightOf({ scope })]])).length === 0;
    });
    expect(unnoticed).toEqual([]);
  });
});
