import { createHash, createHmac, type Hmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Raised where older processes could misread what newer ones say. */
export const PORT_VERSION = '1';
/** How long a request may be under way, by the clock of the runner that answers it. */
export const WINDOW_MS = 30_000;

/** What is signed of a request: another method, runner, time or body makes another signature. */
export interface SignedRequest {
  method: string;
  runner_id: string;
  time: number;
  nonce: string;
  body: Buffer;
}

/** The secret of the cluster, which is never sent: both ends show that they know it. */
export class PortKey {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', `taskyard workspace port ${PORT_VERSION}`, 32));
  }

  sign({ method, runner_id, time, nonce, body }: SignedRequest): string {
    const digest = createHash('sha256').update(body).digest('hex');
    return this.hmac(['request', method, runner_id, String(time), nonce, digest]).digest('hex');
  }

  /** Of a runner that refuses a request for its time: what its own clock says. */
  signTime(nonce: string, time: number): string {
    return this.hmac(['time', nonce, String(time)]).digest('hex');
  }

  /** Runs along with an answer; bound to the request, so that no answer fits another one. */
  answerTo(signature: string): Hmac {
    return this.hmac(['answer', signature]);
  }

  private hmac(parts: readonly string[]): Hmac {
    return createHmac('sha256', this.key).update(`${parts.join('\n')}\n`);
  }
}

export const newNonce = (): string => randomBytes(16).toString('hex');

/** In constant time, whatever was given. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Requests that were answered within the window: none is answered twice. */
export class SeenNonces {
  private readonly seen = new Map<string, number>();

  /** @returns false where it was there before */
  add(nonce: string, now: number): boolean {
    for (const [old, at] of this.seen) {
      if (now - at <= 2 * WINDOW_MS) break; // the map keeps the order of arrival
      this.seen.delete(old);
    }
    if (this.seen.has(nonce)) return false;
    this.seen.set(nonce, now);
    return true;
  }
}
