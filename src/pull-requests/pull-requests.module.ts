import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttemptDeliveryController } from './attempt-delivery.controller.js';
import { ChangePullRequestService } from './change-pull-request.service.js';
import { CommitStatuses } from './commit-statuses.js';
import { ForgeWebhooks } from './forge-webhooks.js';
import { MergePullRequestService } from './merge-pull-request.service.js';
import { OpenPullRequestService } from './open-pull-request.service.js';
import { OpenedPullRequests } from './opened-pull-requests.js';
import { PullRequestController } from './pull-request.controller.js';
import { PullRequestEnds } from './pull-request-ends.js';
import { PullRequestPolling } from './pull-request-polling.js';
import { PullRequestReviewController } from './pull-request-review.controller.js';
import { PullRequestRows } from './pull-request-rows.js';
import { PullRequestSync } from './pull-request-sync.service.js';
import { PullRequestTrace } from './pull-request-trace.js';
import { RetargetAttemptService } from './retarget-attempt.service.js';
import { ViewDeliveryService } from './view-delivery.service.js';
import { ViewPullRequestService } from './view-pull-request.service.js';

const verbs = [
  OpenPullRequestService,
  ChangePullRequestService,
  MergePullRequestService,
  RetargetAttemptService,
  ViewDeliveryService,
  ViewPullRequestService,
];

/** Pull requests on their forges, and what of an attempt's delivery asks or changes them. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    ChecksModule,
    DeliveriesModule,
    ExecutionsModule,
    IdempotencyModule,
    TasksModule,
    TurnsModule,
    WorkspacesModule,
  ],
  controllers: [AttemptDeliveryController, PullRequestController, PullRequestReviewController],
  providers: [
    ...verbs,
    CommitStatuses,
    ForgeWebhooks,
    OpenedPullRequests,
    PullRequestEnds,
    PullRequestPolling,
    PullRequestRows,
    PullRequestSync,
    PullRequestTrace,
  ],
  exports: verbs,
})
export class PullRequestsModule {}
