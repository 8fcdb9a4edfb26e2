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
  const asked = sample(probes, ground.callers);
  const ask = async (caller: Caller) => {
    for (const probe of asked.get(caller)!) {
      const isTaken = probe.isDestructive && expectedOf(caller, probe, table) === 'allowed';
      const ids = isTaken ? await ground.disposable() : ground.ids;
      cells.push({ caller, probe, verdict: verdictOf(await ground.ask(probe, caller, ids)) });
    }
  };
  for (const caller of ground.callers.filter(({ isRun }) => isRun)) await ask(caller);
  await ground.endRun();
  for (const caller of ground.callers.filter(({ isRun }) => !isRun)) await ask(caller);
});

/** Whoever has the scope alone, and two that differ from one operation to the next: that each right holds for every
 *  kind of caller is proved where it is checked (rights.spec.ts). */
function sample(probes: Probe[], callers: Caller[]): Map<Caller, Probe[]> {
  const asked = new Map(callers.map((caller): [Caller, Probe[]] => [caller, []]));
  for (const [index, probe] of probes.entries()) {
    const rightful = callers.find(({ name }) => name === `only ${table.get(probe.key)?.scope ?? 'read'}`);
    const others = [callers[index % callers.length]!, callers[(index * 8 + 5) % callers.length]!];
    for (const caller of new Set([...(rightful ? [rightful] : []), ...others]))
      if (caller.isRun || !probe.isOnlyForRuns) asked.get(caller)!.push(probe);
  }
  return asked;
}

const differences = (of: Table): string[] =>
  cells.flatMap(({ caller, probe, verdict }) => {
    const expected = expectedOf(caller, probe, of);
    return expected === verdict ? [] : [`${caller.name} at ${probe.name}: ${verdict}, not ${expected}`];
  });

describe('every operation and tool, asked for by who may and by others', () => {
  it('answers as the one table says', () => {
    expect(cells.length).toBeGreaterThan(400);
    expect(new Set(cells.map(({ caller }) => caller.name)).size).toBeGreaterThan(15);
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
