import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { limitedAs, type Principal } from './principal.js';

/** Statements that one caller keeps busy at a time. */
const PLACES = 2;
/** Calls of one caller that wait for one of them. */
const MAX_WAITING = 50;
/** When the statement ahead has reached its time limit. */
const RETRY_AFTER_SECS = 15;

interface Line {
  busy: number;
  waiting: (() => void)[];
}

/** Reads whose work depends on what is asked for, rather than on what is answered. A caller has two at a time: further
 *  ones wait, so that nobody else waits for the database. */
@Injectable()
export class BroadReads {
  private readonly lines = new Map<string, Line>();

  /** @param narrow what to add to ask for less
   *  @throws AppError query_too_broad where a statement reaches its time limit; rate_limited where too many wait */
  async read<T>(principal: Pick<Principal, 'id' | 'newcomer'>, narrow: string, work: () => Promise<T>): Promise<T> {
    const caller = limitedAs(principal);
    await this.enter(caller);
    try {
      return await work();
    } catch (error) {
      throw reachedTimeLimit(error) ? new AppError('query_too_broad', { narrow }) : error;
    } finally {
      this.leave(caller);
    }
  }

  private async enter(caller: string): Promise<void> {
    const line = this.lines.get(caller) ?? { busy: 0, waiting: [] };
    this.lines.set(caller, line);
    if (line.busy < PLACES) {
      line.busy += 1;
      return;
    }
    if (line.waiting.length >= MAX_WAITING) throw new AppError('rate_limited', { retry_after_secs: RETRY_AFTER_SECS });
    await new Promise<void>((resolve) => line.waiting.push(resolve)); // whoever leaves hands on its place
  }

  private leave(caller: string): void {
    const line = this.lines.get(caller)!;
    const next = line.waiting.shift();
    if (next) return next();
    line.busy -= 1;
    if (line.busy === 0) this.lines.delete(caller);
  }
}

const QUERY_CANCELED = '57014';
const reachedTimeLimit = (error: unknown): boolean => (error as { code?: string }).code === QUERY_CANCELED;
