import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CheckRunsModule } from '../check-runs/check-runs.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BranchUpdates } from './branch-updates.js';
import { ConflictHandOver } from './conflict-hand-over.js';
import { ConflictPrompt } from './conflict-prompt.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryConsent } from './delivery-consent.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { DeliverySubjects } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import { KnownConflicts } from './known-conflicts.js';
import { MergeAttemptService } from './merge-attempt.service.js';
import { MergeLanding } from './merge-landing.service.js';
import { ExpectedWork } from './expected-work.js';
import { MergePlan } from './merge-plan.js';
import { MovedTargets } from './moved-targets.js';
import { OverrideNotes } from './override-notes.js';
import { PullRequestCommentsRepository } from './pull-request-comments.repository.js';
import { PullRequestsRepository } from './pull-requests.repository.js';
import { PushAttemptService } from './push-attempt.service.js';
import { PushLanding } from './push-landing.service.js';
import { ResolvedUpdates } from './resolved-updates.js';
import { ResolveCommentsService } from './resolve-comments.service.js';
import { UndoMergeService } from './undo-merge.service.js';
import { UnknownLandings } from './unknown-landings.js';
import { UpdateAttemptBranchService } from './update-attempt-branch.service.js';
import { VerifiedWork } from './verified-work.js';

const records = [DeliveriesRepository, PullRequestsRepository, PullRequestCommentsRepository, DeliveriesService];
const verbs = [
  MergeAttemptService,
  UndoMergeService,
  PushAttemptService,
  ResolveCommentsService,
  UpdateAttemptBranchService,
];
const shared = [
  ConflictPrompt,
  DeliveryConsent,
  DeliveryLanes,
  DeliverySubjects,
  DeliveryTrace,
  OverrideNotes,
  UnknownLandings,
  VerifiedWork,
];
const parts = [
  BranchUpdates,
  ConflictHandOver,
  ExpectedWork,
  KnownConflicts,
  MergeLanding,
  MergePlan,
  MovedTargets,
  PushLanding,
  ResolvedUpdates,
];

/** Delivery states of attempts, and the verbs that deliver their work. The records of pull requests are here too,
 *  because the states depend on them. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    AuditModule,
    CheckRunsModule,
    ChecksModule,
    ExecutionsModule,
    IdempotencyModule,
    ProjectsModule,
    SessionsModule,
    TasksModule,
    TurnsModule,
    WorkspacesModule,
  ],
  controllers: [DeliveriesController],
  providers: [...records, ...verbs, ...shared, ...parts],
  exports: [...records, ...verbs, ...shared],
})
export class DeliveriesModule {}
