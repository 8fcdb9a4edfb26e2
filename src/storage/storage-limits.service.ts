import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Holder, StoredBytesRepository } from './stored-bytes.repository.js';

type Limits = Pick<Environment, 'MAX_STORED_BYTES_PER_PROJECT' | 'MAX_STORED_BYTES_PER_PRINCIPAL'>;
type Charged = Pick<Principal, 'id' | 'newcomer' | 'chargedTo'>;

/** A sum as read from the database, plus what this process admitted since. */
interface Sum {
  stored: number;
  readAt: number;
}

interface Limited {
  limit: keyof Limits;
  most: number;
  key: string;
  holder: Holder;
}

/** How long a sum is used before it is read again. */
const FRESH_MS = 2_000;
/** Maximum sums remembered before stale ones are dropped. */
const MOST_SUMS = 10_000;

/** Limits on the bytes stored per caller and per project. A run in progress is never cut off: its log and saved work
 *  have limits of their own. */
@Injectable()
export class StorageLimits {
  private readonly sums = new Map<string, Sum>();
  private readonly readings = new Map<string, Promise<Sum>>();

  constructor(
    @Inject(ENVIRONMENT) private readonly limits: Limits,
    private readonly rows: StoredBytesRepository,
  ) {}

  /** Called before so many more bytes are written. @throws AppError too_much_stored */
  async require(project_id: string | null, principal: Charged, bytes: number): Promise<void> {
    const refusal = await this.find(project_id, principal, bytes);
    if (refusal !== null) throw refusal;
  }

  /** Why there is no room for so many more bytes, or null. */
  async find(project_id: string | null, principal: Charged, bytes: number): Promise<AppError | null> {
    const holders = this.limitedAmong(project_id, chargedAs(principal));
    const sums = await Promise.all(holders.map((holder) => this.sumOf(holder)));
    return admit(holders, sums, bytes);
  }

  /** `require` for a record that no trigger counts. @throws AppError too_much_stored */
  async take(tx: Transaction, project_id: string | null, principal: Charged, texts: string[]): Promise<void> {
    await this.require(project_id, principal, textBytes(...texts));
    await this.rows.add(tx, project_id, chargedAs(principal), texts);
  }

  private limitedAmong(project_id: string | null, principal_id: string): Limited[] {
    const { MAX_STORED_BYTES_PER_PROJECT: ofProject, MAX_STORED_BYTES_PER_PRINCIPAL: ofPrincipal } = this.limits;
    const limited: Limited[] = [];
    if (project_id !== null && ofProject > 0)
      limited.push({
        limit: 'MAX_STORED_BYTES_PER_PROJECT',
        most: ofProject,
        key: `project ${project_id}`,
        holder: { project_id, principal_id: null },
      });
    if (ofPrincipal > 0)
      limited.push({
        limit: 'MAX_STORED_BYTES_PER_PRINCIPAL',
        most: ofPrincipal,
        key: `principal ${principal_id}`,
        holder: { project_id: null, principal_id },
      });
    return limited;
  }

  private fresh(key: string): Sum | undefined {
    const sum = this.sums.get(key);
    return sum && isFresh(sum) ? sum : undefined;
  }

  private async sumOf(limited: Limited): Promise<Sum> {
    return this.fresh(limited.key) ?? this.readings.get(limited.key) ?? this.read(limited);
  }

  /** Whoever comes meanwhile is counted in the same sum. */
  private read({ key, holder }: Limited): Promise<Sum> {
    const readAt = performance.now();
    const reading = this.rows
      .sumOf(holder)
      .then((stored) => this.remember(key, { readAt, stored }))
      .finally(() => this.readings.delete(key));
    this.readings.set(key, reading);
    return reading;
  }

  private remember(key: string, sum: Sum): Sum {
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

/** All or none: if one has no room, nothing is counted. */
function admit(holders: Limited[], sums: Sum[], bytes: number): AppError | null {
  const full = holders.findIndex(({ most }, at) => sums[at]!.stored + bytes > most);
  if (full >= 0) {
    const { limit, most } = holders[full]!;
    return new AppError('too_much_stored', { limit, stored: sums[full]!.stored, most });
  }
  for (const sum of sums) sum.stored += bytes;
  return null;
}

const isFresh = ({ readAt }: Sum): boolean => performance.now() - readAt < FRESH_MS;
