import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors/app-error.js';
import { limitedAs, type Principal } from '../platform/access/principal.js';

/** Imports and exports of one caller at a time: each holds a connection to the database. */
const PLACES = 2;

/** Bounds what one caller has under way; nobody waits. */
@Injectable()
export class TransferPlaces {
  private readonly busy = new Map<string, number>();

  /** @returns what gives the place back. @throws AppError transfers_busy */
  take(principal: Principal): () => void {
    const caller = limitedAs(principal);
    const taken = this.busy.get(caller) ?? 0;
    if (taken === PLACES) throw new AppError('transfers_busy');
    this.busy.set(caller, taken + 1);
    return () => {
      const left = this.busy.get(caller)! - 1;
      if (left === 0) this.busy.delete(caller);
      else this.busy.set(caller, left);
    };
  }
}
