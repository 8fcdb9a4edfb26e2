import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { Delivery } from '../deliveries/delivery.entity.js';
import type { DeliveredWork } from '../workspaces/artifact-host.js';

/** From where to where the delivered work of an attempt lies. */
@Injectable()
export class DeliveredSpans {
  constructor(
    private readonly deliveryRows: DeliveriesRepository,
    private readonly attemptRows: AttemptsRepository,
  ) {}

  /** Of each repository of which anything was delivered. */
  async of(attempt_id: string): Promise<DeliveredWork[]> {
    const rows = await this.deliveryRows.listMerged(attempt_id);
    if (rows.length === 0) return [];
    const repos = await this.attemptRows.listRepos(attempt_id);
    return repos.flatMap(({ repo_id, repo_name, delivered_head: head }) => {
      const span = spanOf(rows.filter((row) => row.repo_id === repo_id));
      return span === null || head === null ? [] : [{ repo_name, ...span, head }];
    });
  }
}

type Ends = Pick<Delivery, 'base_before' | 'source_commit' | 'strategy' | 'target_before' | 'target_after'>;

/** Of the last delivery, and of those before it on which its work goes on.
 *  @param rows oldest first */
function spanOf(rows: readonly Ends[]): Pick<DeliveredWork, 'from' | 'to'> | null {
  const last = rows.at(-1);
  if (!last?.base_before) return null;
  const first = rows.findLast((row, at) => at === 0 || !goesOn(rows[at - 1]!, row)) ?? last;
  return { from: first.base_before ?? last.base_before, to: last.source_commit };
}

/** After a squash the branch goes on at the new commit, which holds the same files if the target had not moved. */
function goesOn(before: Ends, row: Ends): boolean {
  if (row.base_before === before.source_commit) return true;
  const isSame = before.strategy !== 'squash' || before.target_before === before.base_before;
  return row.base_before === before.target_after && isSame;
}
