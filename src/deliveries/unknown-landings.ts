import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { asActor, localOwner } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { RESOLVED_KEY } from '../turns/turn-trace.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryLanes } from './delivery-lanes.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import { MergeLanding } from './merge-landing.service.js';
import { PushLanding } from './push-landing.service.js';
import { ResolvedUpdates } from './resolved-updates.js';

const PAUSE_MS = 5_000;
/** Between checks that settle nothing. */
const LONGEST_PAUSE_MS = 60_000;
const MOST_AT_ONCE = 20;

/** Actor recorded for deliveries that the server settles by itself. */
const TASKYARD = asActor('@taskyard', 'system');

/** Settles deliveries whose outcome is unknown because an answer was lost or a server died, completes updates that an
 *  agent resolved, and runs messages that waited for one. Every server checks again and again; the one that gets the
 *  lane of the attempt does it. */
@Injectable()
export class UnknownLandings implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(UnknownLandings.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly lanes: DeliveryLanes,
    private readonly workspaces: ReadyWorkspaces,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly merges: MergeLanding,
    private readonly pushes: PushLanding,
    private readonly updates: ResolvedUpdates,
    private readonly trace: DeliveryTrace,
    private readonly hub: ChangeHub,
  ) {}

  onApplicationBootstrap(): void {
    this.hub.follow((key) => key === RESOLVED_KEY && this.schedule(0));
    this.schedule(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** Checks soon what the attempt has open. */
  async wake(attempt_id: string): Promise<void> {
    if ((await this.deliveryRows.listUnsettled(attempt_id)).length > 0) this.schedule(0);
  }

  private schedule(pause: number): void {
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.round = this.round.then(() => this.lookAtAll(pause));
    }, pause);
  }

  private async lookAtAll(pause: number): Promise<void> {
    const isLeft = await this.settleAll().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'deliveries could not be looked at');
      return true;
    });
    this.schedule(isLeft ? Math.min(Math.max(pause, PAUSE_MS) * 2, LONGEST_PAUSE_MS) : PAUSE_MS);
  }

  /** @returns true if something is left open */
  private async settleAll(): Promise<boolean> {
    await this.lanes.runLeft(MOST_AT_ONCE);
    const attempts = await this.listOpen(MOST_AT_ONCE);
    for (const attempt_id of attempts) {
      if (this.isStopped) break;
      try {
        await this.settle(attempt_id);
      } catch (error) {
        this.logger.warn({ err: error, attempt_id }, 'what became of a delivery cannot be told yet');
      }
    }
    return attempts.length > 0 && (await this.listOpen(1)).length > 0;
  }

  private async listOpen(most: number): Promise<string[]> {
    const unsettled = await this.deliveryRows.listUnsettledAttempts(most);
    return [...new Set([...unsettled, ...(await this.deliveryRows.listResolved(most))])];
  }

  private async settle(attempt_id: string): Promise<void> {
    await this.lanes.tryAlone(attempt_id, async () => {
      if ((await this.executionRows.findLive(attempt_id)) !== null) return; // the run owns its worktree
      const attempt = await this.attemptRows.get(localOwner, attempt_id);
      const workspace = await this.workspaces.ready(attempt_id, localOwner);
      const outcome = await this.attemptRows.outcomeOf(attempt_id);
      const subject = { attempt, workspace, outcome, principal: TASKYARD, mayOnlyAsk: false };
      await this.pushes.settle(subject);
      await this.merges.settle(subject);
      await this.updates.settle(subject);
      await this.show(subject);
    });
  }

  /** Writes what the interrupted call would have written. */
  private async show({ attempt, workspace, principal }: DeliverySubject): Promise<void> {
    const state = await this.deliveries.stateOf(workspace);
    const merged = await this.merges.listMerged(attempt.id);
    await this.database.transaction(async (tx) => {
      await this.attemptRows.lock(tx, localOwner, attempt.id);
      await this.attemptRows.setDeliveryState(tx, attempt.id, state);
      if (state === 'merged') await this.trace.allDelivered(tx, attempt.task_id, merged, principal);
    });
  }
}
