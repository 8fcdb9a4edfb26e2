import { AttemptBinding } from '../mcp/attempt-binding.js';
import type { Principal } from '../platform/access/principal.js';
import { isRecord } from '../platform/fields/normalise.js';
import { type ApiClient, parseJson, refusalIn } from './api-client.js';

/** An endpoint may be bound to an attempt that the API shows to the caller. */
export class ApiAttemptBinding extends AttemptBinding {
  constructor(private readonly api: ApiClient) {
    super();
  }

  async check(attempt_id: string, principal: Principal): Promise<void> {
    const answer = await this.api.get(`/api/attempts/${attempt_id}`, principal);
    const body = parseJson(answer.text);
    if (answer.status !== 200 || !isRecord(body) || body.attempt_id !== attempt_id) throw refusalIn(answer);
  }
}
