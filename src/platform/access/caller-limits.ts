/** What one caller can use up: tries at a token, and requests that stay open. */
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { authenticationFailures, openRequests } from '../telemetry/metrics.js';
import { limitedAs, type Principal } from './principal.js';

export const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
/** Addresses remembered at a time, so that a flood from everywhere cannot fill the memory. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  endsAt: number;
}

/** Wrong tokens by address. Beyond the limit further ones are answered `rate_limited` for a minute, and written down no
 *  longer; a right one is never counted with them. */
export class FailedLogins {
  private readonly byAddress = new Map<string, Failures>();
  private readonly logger = new Logger('Access');

  /** @param reason never contains the token, which may be one typo away from a valid one
   *  @throws AppError rate_limited beyond the limit */
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
    if (failures.count > MAX_FAILURES)
      throw new AppError('rate_limited', {
        retry_after_secs: Math.ceil((failures.endsAt - performance.now()) / 1_000),
      });
    this.logger.warn({ address, reason, failures: failures.count }, 'authentication failed');
  }

  private find(address: string): Failures {
    const known = this.byAddress.get(address);
    return known && known.endsAt > performance.now() ? known : { count: 0, endsAt: performance.now() + WINDOW_MS };
  }
}

type Limits = Pick<Environment, 'MAX_STREAMS' | 'MAX_STREAMS_PER_PRINCIPAL'>;

/** Limits the requests that stay open (event streams and long polls), for each caller and for the whole process. */
@Injectable()
export class OpenRequests {
  private readonly byPrincipal = new Map<string, number>();
  private all = 0;

  constructor(@Inject(ENVIRONMENT) private readonly limits: Limits) {}

  /** Holds a place until the work ends. @throws AppError too_many_streams before it begins */
  async hold<T>(principal: Pick<Principal, 'id' | 'newcomer'>, work: () => Promise<T>): Promise<T> {
    const id = limitedAs(principal);
    this.enter(id);
    try {
      return await work();
    } finally {
      this.leave(id);
    }
  }

  private enter(id: string): void {
    const { MAX_STREAMS, MAX_STREAMS_PER_PRINCIPAL } = this.limits;
    const own = this.byPrincipal.get(id) ?? 0;
    if (own >= MAX_STREAMS_PER_PRINCIPAL)
      throw new AppError('too_many_streams', { limit: 'MAX_STREAMS_PER_PRINCIPAL', open: own });
    if (this.all >= MAX_STREAMS) throw new AppError('too_many_streams', { limit: 'MAX_STREAMS', open: this.all });
    this.byPrincipal.set(id, own + 1);
    this.all += 1;
    openRequests.inc();
  }

  private leave(id: string): void {
    const own = this.byPrincipal.get(id)! - 1;
    if (own === 0) this.byPrincipal.delete(id);
    else this.byPrincipal.set(id, own);
    this.all -= 1;
    openRequests.dec();
  }
}
