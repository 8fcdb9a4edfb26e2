import { createHash, createHmac, type Hmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Raised when older processes could misread newer ones. */
export const PORT_VERSION = '2';
/** Maximum age of a request, by the clock of the runner that answers it. */
export const WINDOW_MS = 30_000;

/** The signed parts of a request. */
export interface SignedRequest {
  method: string;
  runner_id: string;
  time: number;
  nonce: string;
  /** Digest of the body, so that a request can be checked before its body is read. */
  digest: string;
}

export const digestOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Signs and checks with the secret of the cluster, which is never sent. */
export class PortKey {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', `taskyard workspace port ${PORT_VERSION}`, 32));
  }

  sign({ method, runner_id, time, nonce, digest }: SignedRequest): string {
    return this.hmac(['request', method, runner_id, String(time), nonce, digest]).digest('hex');
  }

  /** Signs the own time of a runner that refuses a request as too old. */
  signTime(nonce: string, time: number): string {
    return this.hmac(['time', nonce, String(time)]).digest('hex');
  }

  /** Signs an answer together with its request, so that it fits no other. */
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

  has(nonce: string): boolean {
    return this.seen.has(nonce);
  }

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
