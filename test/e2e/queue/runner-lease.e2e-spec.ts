import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { RunnerLease } from '../../../src/cluster/runner-lease.js';
import { loadEnvironment } from '../../../src/config/environment.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { ManualClock } from '../../support/manual-clock.js';
import { CLUSTER_SECRET } from '../../support/server.js';

const CARD = {
  version: '0',
  isolation: 'none',
  limits: { memory: 'none', processes: 'none', disk: 'none', reason: null },
} as const;
const [ENTER, RENEW, HOLD_NAME] = ['INSERT INTO runners', 'SET seen_at = now(), address', 'pg_try_advisory_lock'];

describe('the lease of a process', () => {
  let test: TestDatabase;
  let client: pg.Client;
  let clock: ManualClock;
  let folder: string;
  let lease: RunnerLease;
  let asked: string[];
  let number: number;
  /** What happens to a statement between here and the database. */
  let line: (sql: string, run: () => Promise<object[]>) => Promise<object[]>;

  beforeEach(async () => {
    Logger.overrideLogger(false); // leases are lost here on purpose
    test = await createTestDatabase();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
    clock = new ManualClock();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    [asked, number, line] = [[], 1, (_, run) => run()];
  });
  afterEach(async () => {
    line = (_, run) => run();
    await lease.leave();
    await client.end();
    await test.drop();
    rmSync(folder, { recursive: true });
  });

  function given(secret: string): RunnerLease {
    const session = {
      get number() {
        return number;
      },
      query: <T extends object>(sql: string, values: unknown[]) => {
        asked.push(sql);
        return line(sql, async () => (await client.query<T>(sql, values)).rows) as Promise<T[]>;
      },
    };
    const environment = loadEnvironment({
      DATA_DIR: folder,
      CLUSTER_SECRET: secret,
      ROLE: 'runner',
      DATABASE_URL: 'x',
    });
    return (lease = new RunnerLease(environment, session, CARD, clock));
  }
  async function entered(secret = CLUSTER_SECRET): Promise<RunnerLease> {
    await given(secret).enter();
    return lease;
  }
  const row = async () => (await client.query('SELECT incarnation, left_at FROM runners')).rows[0] as object;
  const count = (text: string) => asked.filter((sql) => sql.includes(text)).length;
  const silence = () => client.query("UPDATE runners SET seen_at = now() - interval '11 seconds'");

  it('comes back where the answer to its entry was lost behind the COMMIT', async () => {
    const { incarnation } = await entered();
    let lost = 0;
    line = async (sql, run) => {
      const rows = await run();
      if (!sql.includes(ENTER) || (lost += 1) > 1) return rows;
      throw new Error('Connection terminated unexpectedly');
    };
    await silence();
    await eventually('another life', async () => {
      await clock.advance(500);
      return lost === 2 && !lease.lost.aborted;
    });
    expect(lease.replaced.aborted).toBe(false);
    expect(lease.incarnation).not.toBe(incarnation);
    expect(await row()).toMatchObject({ incarnation: lease.incarnation, left_at: null });
  });

  it('is held by renewals of four seconds, one at a time, and its name is asked for once a session', async () => {
    await entered();
    const before = count(RENEW);
    let [underWay, asking] = [0, 0];
    const most = { underWay: 0 };
    line = async (_, run) => {
      most.underWay = Math.max(most.underWay, (underWay += 1));
      asking += 1;
      const rows = await run();
      asking -= 1;
      await new Promise<void>((resolve) => void clock.after(4_000, resolve));
      underWay -= 1;
      return rows;
    };
    await eventually('ten renewals', async () => {
      if (asking === 0) await clock.advance(500); // the clock stands while the database answers
      return count(RENEW) - before > 10;
    });
    expect([lease.lost.aborted, most.underWay, count(HOLD_NAME)]).toEqual([false, 1, 1]);
    line = (_, run) => run();
    number = 2;
    await eventually('the name in another session', async () => {
      await clock.advance(500);
      return count(HOLD_NAME) === 2;
    });
  });

  it('does not end by sleeping where the process is alone, and ends once another has entered meanwhile', async () => {
    await entered('');
    const first = lease;
    await client.query("UPDATE runners SET seen_at = now() - interval '1 hour'");
    await clock.jump(3_600_000);
    await eventually('a renewal', async () => {
      await clock.advance(500);
      const { rows } = await client.query("SELECT 1 FROM runners WHERE seen_at > now() - interval '10 seconds'");
      return rows.length === 1;
    });
    expect(first.lost.aborted).toBe(false);

    await silence();
    const folderOfFirst = folder;
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    await given('').enter();
    const second = lease;
    await eventually('the end of the first', async () => {
      await clock.advance(500);
      return first.replaced.aborted;
    });
    expect([first.lost.aborted, second.lost.aborted, second.replaced.aborted]).toEqual([true, false, false]);
    rmSync(folderOfFirst, { recursive: true });
  });

  it('is renewed while its process waits for one with another secret to go', async () => {
    await client.query(
      `INSERT INTO runners
         (runner_id, incarnation, role, address, version, slots, isolation, limits, secret_print, entered_at)
       VALUES ('killed', gen_random_uuid(), 'runner', 'x:1', '0', 8, 'none', '{}', 'other', now() - interval '1 hour')`,
    );
    const entering = given(CLUSTER_SECRET).enter();
    await eventually('three renewals', async () => {
      await clock.advance(500);
      return count(RENEW) >= 3;
    });
    await client.query("UPDATE runners SET left_at = now() WHERE runner_id = 'killed'");
    let isIn = false;
    void entering.then(() => (isIn = true));
    await eventually('the entry', async () => {
      await clock.advance(150);
      return isIn;
    });
    expect(lease.lost.aborted).toBe(false);
  });
});
