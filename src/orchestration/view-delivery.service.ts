import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { AttemptDeliveryInput, AttemptDeliveryOutput } from '../deliveries/delivery.dto.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { PullRequestSync } from './pull-request-sync.service.js';

/** Where the work of an attempt stands; on request as forges have it now. */
@Injectable()
export class ViewDeliveryService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly sync: PullRequestSync,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** What a forge or a remote that does not answer said last is shown, with the reason in sync_error or fetch_error.
   *  @throws AppError attempt_not_found, repo_not_found, workspace_not_ready, workspace_lost */
  async get(input: AttemptDeliveryInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    if (input.refresh) await this.askForges(input, principal);
    return this.deliveries.get(input, principal);
  }

  private async askForges({ attempt_id, repo_id }: AttemptDeliveryInput, principal: Principal): Promise<void> {
    await this.attemptRows.get(principal, attempt_id);
    const rows = await this.pullRequestRows.listLatest(attempt_id);
    const chosen = rows.filter((row) => repo_id === undefined || row.repo_id === repo_id);
    await Promise.all(chosen.map((row) => this.sync.refresh(row)));
  }
}
