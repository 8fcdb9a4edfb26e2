import { Logger } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { authenticationFailures } from '../telemetry/metrics.js';

export const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
/** Addresses that are remembered at once: a flood from everywhere must not fill the memory. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  endsAt: number;
}

/** Wrong tokens by address. Beyond the limit no token of that address is looked at, right or wrong, for a minute. */
export class FailedLogins {
  private readonly byAddress = new Map<string, Failures>();
  private readonly logger = new Logger('Access');

  /** @throws AppError rate_limited */
  requireRoom(address: string): void {
    const { count, endsAt } = this.find(address);
    if (count >= MAX_FAILURES)
      throw new AppError('rate_limited', { retry_after_secs: Math.ceil((endsAt - performance.now()) / 1_000) });
  }

  /** @param reason never the token, which may be right but for a letter */
  record(address: string, reason: string): void {
    const failures = this.find(address);
    authenticationFailures.inc();
    failures.count += 1;
    this.byAddress.delete(address); // so that the oldest come first
    this.byAddress.set(address, failures);
    for (const oldest of this.byAddress.keys()) {
      if (this.byAddress.size <= MAX_ADDRESSES) break;
      this.byAddress.delete(oldest);
    }
    this.logger.warn({ address, reason, failures: failures.count }, 'authentication failed');
  }

  private find(address: string): Failures {
    const known = this.byAddress.get(address);
    return known && known.endsAt > performance.now() ? known : { count: 0, endsAt: performance.now() + WINDOW_MS };
  }
}
