import { AttemptsRepository } from '../../src/attempts/attempts.repository.js';
import type { ContinuationCause } from '../../src/continuations/continuation.entity.js';
import { ContinuationsService } from '../../src/continuations/continuations.service.js';
import { localOwner } from '../../src/platform/access/principal.js';
import { Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';
import type { InProcessBoard } from './in-process-server.js';
import type { Json } from './mcp-client.js';

interface Planned {
  key?: string;
  delay_secs?: number;
  prompt?: string;
  cause?: ContinuationCause;
}

/** All that wait are sent now. */
export const sendNow = ({ server }: { server: Pick<InProcessBoard['server'], 'query'> }): Promise<unknown> =>
  server.query("UPDATE queue.job SET start_after = now() WHERE name = 'continuations'");

/** What tests of continuations plan, see and look up on a board. */
export function continuationsOf(board: InProcessBoard) {
  const part = <T>(kind: abstract new (...args: never[]) => T): T => board.server.app.get(kind, { strict: false });

  /** Plans one for an attempt, in a transaction of its own as a room above would. */
  async function plan(
    attempt_id: string,
    { key = `key ${attempt_id}`, delay_secs = 0, prompt = 'echo went on', cause = 'repair' }: Planned = {},
  ) {
    const { latest_session_id: session_id } = await status(attempt_id);
    return part(Database).transaction(async (tx) => {
      const attempt = await part(AttemptsRepository).lock(tx, localOwner, attempt_id);
      const message = { prompt, is_task_text: false, variant: null, timeout_secs: null };
      const about = { attempt, session_id: session_id as string, cause, cause_key: key, round: 1 };
      return part(ContinuationsService).plan(tx, { ...about, delay_secs, message });
    });
  }

  const status = (attempt_id: string): Promise<Json> => board.rest.does('GET', `/api/attempts/${attempt_id}`);
  const listed = async (attempt_id: string): Promise<Json[]> =>
    (await board.rest.does('GET', `/api/attempts/${attempt_id}/continuations`)).continuations as Json[];
  const until = (attempt_id: string, state: string): Promise<Json> =>
    eventually(`a continuation that is ${state}`, async () => {
      const [newest] = await listed(attempt_id);
      return newest?.state === state ? newest : null;
    }) as Promise<Json>;
  const prompts = async (attempt_id: string): Promise<string[]> =>
    (
      await board.server.query<{ prompt: string }>(
        'SELECT prompt FROM executions WHERE attempt_id = $1 ORDER BY number',
        [attempt_id],
      )
    ).map(({ prompt }) => prompt);
  const openJobs = async (): Promise<number> =>
    (
      await board.server.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM queue.job WHERE name = 'continuations' AND state < 'completed'",
      )
    )[0]!.n;
  const jobOf = async (attempt_id: string): Promise<{ id: string; state: string; retry_count: number }> =>
    (
      await board.server.query<{ id: string; state: string; retry_count: number }>(
        `SELECT j.id, j.state::text, j.retry_count
         FROM continuations c JOIN queue.job j ON j.id = c.job_id WHERE c.attempt_id = $1`,
        [attempt_id],
      )
    )[0]!;

  return { part, plan, listed, until, prompts, openJobs, jobOf };
}
