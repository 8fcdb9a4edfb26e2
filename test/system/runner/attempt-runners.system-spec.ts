import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { AttemptRunners } from '../../support/attempt-runners.js';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

/** `npm run test:attempts` asks for 200. */
const ATTEMPTS = Number(process.env.LIFE_ATTEMPTS ?? 5);
/** Processes of runners at a time. */
const MOST = 4;
const PATIENCE_MS = 60 * 60_000;
jest.setTimeout(120_000 + ATTEMPTS * 30_000);

describe('a runner for each attempt, started as a scaler does', () => {
  let ground: AttemptRunners;
  let project_id: string;
  let isOver = false;
  let scaling: Promise<void>;

  /** As many as turns wait for a new one, less those that wait for a turn. */
  const scale = async (): Promise<void> => {
    const settings = { RUNNER_IDLE_SECS: '1', RUNNER_UNUSED_SECS: '20' };
    while (!isOver) {
      const [{ waiting } = { waiting: 0 }] = await ground.api.query<{ waiting: number }>(
        `SELECT (SELECT coalesce(sum(waiting), 0) FROM waiting_turns)::int - count(*)::int AS waiting
         FROM runners r
         WHERE r.life = 'attempt' AND r.seen_at > now() - interval '10 seconds'
           AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.runner_id = r.runner_id)`,
      );
      const room = MOST - ground.liveCount;
      await Promise.all(Array.from({ length: Math.max(0, Math.min(waiting, room)) }, () => ground.start(settings)));
      await delay(200);
    }
  };

  beforeAll(async () => {
    ground = await AttemptRunners.open();
    ({ project_id } = await givenProject(ground.api));
    scaling = scale();
  });
  afterAll(async () => {
    isOver = true;
    await scaling;
    await ground.close();
  });

  const work = async (at: number): Promise<void> => {
    const isKilled = at % 10 === 0;
    const script = `echo ${at} > own.txt${isKilled ? '; exec sleep 600' : ''}`;
    const attempt_id = (await givenAttempt(ground.client, project_id, script)).attempt_id as string;
    if (isKilled) {
      await eventually('its work to be saved', () => isSaved(attempt_id), PATIENCE_MS);
      ground.holderOf(attempt_id)!.kill('SIGKILL');
    }
    expect((await untilEnded(ground.client, attempt_id)).state).toBe(isKilled ? 'failed' : 'completed');
    await eventually('its runner to end', () => ground.holderOf(attempt_id) === undefined, PATIENCE_MS);
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt: 'cat own.txt' });
    expect(await untilEnded(ground.client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: String(at),
    });
  };
  const isSaved = async (attempt_id: string): Promise<boolean> =>
    (
      await ground.api.query('SELECT 1 FROM workspace_snapshots WHERE attempt_id = $1 AND work IS NOT NULL', [
        attempt_id,
      ])
    ).length > 0;

  it(`${ATTEMPTS} of them, each followed up after its end, one in ten killed, lose no turn and no work`, async () => {
    await Promise.all(Array.from({ length: ATTEMPTS }, (_, at) => work(at)));
    expect(await ground.api.query<Json>('SELECT 1 FROM turn_jobs')).toEqual([]);
    expect(
      await ground.api.query<Json>(
        `SELECT status, count(*)::int AS turns FROM executions WHERE run_reason = 'codingagent' GROUP BY 1 ORDER BY 1`,
      ),
    ).toEqual([
      { status: 'completed', turns: 2 * ATTEMPTS - Math.ceil(ATTEMPTS / 10) },
      { status: 'failed', turns: Math.ceil(ATTEMPTS / 10) },
    ]);
  });
});
