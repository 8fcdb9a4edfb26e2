import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptStatus, Schemas } from '../client/index.js';
import { complain } from './output.js';
import type { Session } from './session.js';

type Continuation = Schemas['ContinuationOutput'];

const LOOK_AGAIN_MS = 500;
const CAUSES: Record<Continuation['cause'], string> = {
  repair: 'failed checks go back to the agent',
  review: 'what the review requests goes back to the agent',
  transient: 'it is tried again',
  quota: 'it is tried again once the quota is reset',
  infra: 'it is tried again after a lost runner',
};

/** What the server sends the agent of an attempt by itself. */
export class Continuing {
  private readonly told = new Set<string>();

  constructor(
    private readonly session: Session,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether there is more to follow than what has ended: something has begun since, or is due. */
  async goesOnAfter({ attempt_id, latest_execution_process_id }: AttemptStatus): Promise<boolean> {
    const { client } = this.session;
    const about = { params: { path: { attempt_id } }, signal: this.signal };
    const { continuations } = await client.GET('/api/attempts/{attempt_id}/continuations', about);
    const now = await client.GET('/api/attempts/{attempt_id}', about);
    const followed = [latest_execution_process_id, now.latest_execution_process_id];
    const isWaiting = ({ state }: Continuation) => state === 'due' || state === 'queued';
    const hasBegun = ({ execution_process_id: id }: Continuation) => id !== null && followed.includes(id);
    continuations.filter((one) => isWaiting(one) || hasBegun(one)).forEach((one) => this.tell(one));
    if (now.latest_execution_process_id !== latest_execution_process_id) return true;
    if (!continuations.some(isWaiting)) return false;
    await delay(LOOK_AGAIN_MS, undefined, { signal: this.signal });
    return true;
  }

  private tell({ continuation_id, cause, round, due_at }: Continuation): void {
    if (!this.told.has(continuation_id)) complain(`${CAUSES[cause]}: round ${round}, at ${due_at}`);
    this.told.add(continuation_id);
  }
}
