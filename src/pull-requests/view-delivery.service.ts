import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { AttemptDeliveryInput, AttemptDeliveryOutput } from '../deliveries/delivery.dto.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { UnknownLandings } from '../deliveries/unknown-landings.js';
import { PullRequestSync } from './pull-request-sync.service.js';

/** Delivery state of an attempt; on request with current data of the forges. */
@Injectable()
export class ViewDeliveryService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly sync: PullRequestSync,
    private readonly deliveries: DeliveriesService,
    private readonly unknown: UnknownLandings,
  ) {}

  /** If a forge or remote does not answer, its last data is shown, with the reason in sync_error or fetch_error.
   *  @throws AppError attempt_not_found, repo_not_found, workspace_not_ready, workspace_lost */
  async get(input: AttemptDeliveryInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    if (input.refresh) await this.askForges(input, principal);
    const seen = await this.deliveries.get(input, principal);
    await this.unknown.wake(input.attempt_id);
    return seen;
  }

  private async askForges({ attempt_id, repo_id }: AttemptDeliveryInput, principal: Principal): Promise<void> {
    await this.attemptRows.get(principal, attempt_id);
    const rows = await this.pullRequestRows.listLatest(attempt_id);
    const chosen = rows.filter((row) => repo_id === undefined || row.repo_id === repo_id);
    await Promise.all(chosen.map((row) => this.sync.refresh(row)));
  }
}
