import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { openRequests } from '../telemetry/metrics.js';
import { limitedAs, type Principal } from './principal.js';

type Limits = Pick<Environment, 'MAX_STREAMS' | 'MAX_STREAMS_PER_PRINCIPAL'>;

/** Requests that stay open, event streams and long polls: so many of one caller, and so many in this process. A crowd
 *  of one caller is refused by itself, and is never the answer to another. */
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
