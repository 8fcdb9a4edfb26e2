import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../mcp-client.js';

const PATIENCE_MS = 240_000;
const ANSWER_WITHIN_MS = 12_000;
const AGAIN_AFTER_MS = 250;

/** An answer that no other try would change. */
class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Calls tools on whichever replica answers, as often as it takes: a caller that gives up loses nothing, and one that
 *  repeats does nothing twice. */
export class ChaosCalls {
  private turn = 0;
  calls = 0;
  repeated = 0;

  /** @param urls of the replicas that run now */
  constructor(
    private readonly urls: () => string[],
    private readonly token: string,
  ) {}

  async call(tool: string, args: Json = {}): Promise<Json> {
    return this.send('POST', `/api/toolsets/kanban/tools/${tool}`, args);
  }

  async send(method: string, path: string, body?: Json): Promise<Json> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    this.calls += 1;
    for (;;) {
      const { answer, problem } = await this.attempt(method, path, body);
      if (answer !== null) return answer;
      if (performance.now() > giveUpAt) throw new Error(`${method} ${path} in vain: ${problem}`);
      this.repeated += 1;
      await delay(AGAIN_AFTER_MS);
    }
  }

  /** @throws Refused where another try would be refused too */
  private async attempt(method: string, path: string, body?: Json): Promise<{ answer: Json | null; problem: string }> {
    const urls = this.urls();
    const url = urls[(this.turn += 1) % Math.max(1, urls.length)];
    if (url === undefined) return { answer: null, problem: 'no replica runs' };
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS + ((body?.wait_ms as number | undefined) ?? 0)),
      });
      const answer = (await response.json()) as Json;
      if (response.ok) return { answer, problem: '' };
      const problem = `${response.status} ${JSON.stringify(answer)}`;
      if (answer.retryable !== true) throw new Refused(String(answer.code), `${path}: ${problem}`);
      return { answer: null, problem };
    } catch (error) {
      if (error instanceof Refused) throw error;
      return { answer: null, problem: (error as Error).message };
    }
  }
}
