import { AppError } from '../platform/errors/app-error.js';

/** Upper bound for the pause that a forge asks for. */
const MAX_REST_MS = 600_000;
const DEFAULT_REST_MS = 60_000;
/** Below this share of its quota, polling leaves what is left to people. */
const RESERVE = 0.1;

/** The quota that a forge has left for us, and until when to pause. */
export class QuotaWatch {
  private refusedUntil = 0;
  private scarceUntil = 0;

  constructor(private readonly host: string) {}

  /** How long polling should wait. */
  get restMs(): number {
    return Math.max(0, this.refusedUntil - Date.now(), this.scarceUntil - Date.now());
  }

  /** @throws AppError forge_rate_limited */
  requireRoom(): void {
    if (this.refusedUntil > Date.now()) throw this.limited();
  }

  /** @param message what the forge said: a 403 may be a limit or a missing right
   *  @throws AppError forge_rate_limited */
  note({ status, headers }: Pick<Response, 'status' | 'headers'>, message: string): void {
    const { remaining, limit, untilReset } = quotaIn(headers);
    if (remaining !== null && limit !== null && remaining < limit * RESERVE)
      this.scarceUntil = Date.now() + bounded(untilReset);
    const after = numberIn(headers, 'retry-after');
    const isLimit = /rate limit/i.test(message) || remaining === 0 || after !== null;
    if (status !== 429 && !(status === 403 && isLimit)) return;
    this.refusedUntil = Date.now() + bounded(after === null ? untilReset : after * 1_000);
    throw this.limited();
  }

  private limited(): AppError {
    const retry_after_secs = Math.max(1, Math.ceil((this.refusedUntil - Date.now()) / 1_000));
    return new AppError('forge_rate_limited', { host: this.host, retry_after_secs });
  }
}

function quotaIn(headers: Headers): { remaining: number | null; limit: number | null; untilReset: number } {
  const [remaining, limit, reset] = ['remaining', 'limit', 'reset'].map(
    (what) => numberIn(headers, `x-ratelimit-${what}`) ?? numberIn(headers, `ratelimit-${what}`),
  ) as [number | null, number | null, number | null];
  return { remaining, limit, untilReset: reset === null ? DEFAULT_REST_MS : reset * 1_000 - Date.now() };
}

const bounded = (ms: number): number => Math.min(Math.max(ms, 1_000), MAX_REST_MS);

function numberIn(headers: Headers, name: string): number | null {
  const value = headers.get(name);
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : null;
}
