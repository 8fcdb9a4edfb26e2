import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Holder, StoredBytesRepository } from './stored-bytes.repository.js';

type Limits = Pick<Environment, 'MAX_STORED_BYTES_PER_PROJECT' | 'MAX_STORED_BYTES_PER_PRINCIPAL'>;
type Charged = Pick<Principal, 'id' | 'newcomer' | 'chargedTo'>;

/** A sum as it was read, and what this process has let in since. */
interface Sum {
  stored: number;
  readAt: number;
}

/** What other processes let in, and what is given back, is seen so much later. */
const FRESH_MS = 2_000;
/** Sums that are remembered; then the stale ones go. */
const MOST_SUMS = 10_000;

/** How much is stored at most for one caller and for one project. A run under way is never cut off: its log and its
 *  saved work have limits of their own. */
@Injectable()
export class StorageLimits {
  private readonly sums = new Map<string, Sum>();

  constructor(
    @Inject(ENVIRONMENT) private readonly limits: Limits,
    private readonly rows: StoredBytesRepository,
  ) {}

  /** Before so many bytes more are written. @throws AppError too_much_stored */
  async require(project_id: string | null, principal: Charged, bytes: number): Promise<void> {
    const refusal = await this.find(project_id, principal, bytes);
    if (refusal !== null) throw refusal;
  }

  /** Why there is no room for so many bytes more; null where there is. */
  async find(project_id: string | null, principal: Charged, bytes: number): Promise<AppError | null> {
    const ofProject: Holder = { project_id, principal_id: null };
    const ofPrincipal: Holder = { project_id: null, principal_id: chargedAs(principal) };
    return (
      (project_id === null ? null : await this.refusal('MAX_STORED_BYTES_PER_PROJECT', ofProject, bytes)) ??
      (await this.refusal('MAX_STORED_BYTES_PER_PRINCIPAL', ofPrincipal, bytes))
    );
  }

  /** `require` for a record that no trigger counts. @throws AppError too_much_stored */
  async take(tx: Transaction, project_id: string | null, principal: Charged, texts: string[]): Promise<void> {
    await this.require(project_id, principal, textBytes(...texts));
    await this.rows.add(tx, project_id, chargedAs(principal), texts);
  }

  private async refusal(limit: keyof Limits, holder: Holder, bytes: number): Promise<AppError | null> {
    const most = this.limits[limit];
    if (most === 0) return null;
    const sum = await this.sumOf(holder);
    if (sum.stored + bytes > most) return new AppError('too_much_stored', { limit, stored: sum.stored, most });
    sum.stored += bytes;
    return null;
  }

  private async sumOf(holder: Holder): Promise<Sum> {
    const key = JSON.stringify(holder);
    const known = this.sums.get(key);
    if (known && isFresh(known)) return known;
    const sum = { readAt: performance.now(), stored: await this.rows.sumOf(holder) };
    if (this.sums.size >= MOST_SUMS) this.forgetStale();
    this.sums.set(key, sum);
    return sum;
  }

  private forgetStale(): void {
    for (const [key, sum] of this.sums) if (!isFresh(sum)) this.sums.delete(key);
  }
}

/** In UTF-8, as they are stored. */
export const textBytes = (...texts: (string | null | undefined)[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);

const isFresh = ({ readAt }: Sum): boolean => performance.now() - readAt < FRESH_MS;
