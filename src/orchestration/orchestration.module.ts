import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ChangePullRequestService } from './change-pull-request.service.js';
import { CommentPrompt } from './comment-prompt.js';
import { FollowUpPrompt } from './follow-up-prompt.js';
import { ForgeWebhooks } from './forge-webhooks.js';
import { MergePullRequestService } from './merge-pull-request.service.js';
import { OpenPullRequestService } from './open-pull-request.service.js';
import { OpenedPullRequests } from './opened-pull-requests.js';
import { PullRequestPolling } from './pull-request-polling.js';
import { PullRequestRows } from './pull-request-rows.js';
import { PullRequestSync } from './pull-request-sync.service.js';
import { PullRequestTrace } from './pull-request-trace.js';
import { ResolveCommentsService } from './resolve-comments.service.js';
import { ViewDeliveryService } from './view-delivery.service.js';
import { ViewPullRequestService } from './view-pull-request.service.js';
import { PullRequestEffects } from './pull-request-effects.js';
import { PullRequestEnds } from './pull-request-ends.js';
import { PullRequestController } from './pull-request.controller.js';
import { PullRequestReviewController } from './pull-request-review.controller.js';
import { AnswerApprovalController } from './answer-approval.controller.js';
import { AnswerApprovalService } from './answer-approval.service.js';
import { AttemptPlan } from './attempt-plan.js';
import { DeleteProjectService } from './delete-project.service.js';
import { DeleteTaskService } from './delete-task.service.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryConsent } from './delivery-consent.js';
import { DeliverySubjects } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import { DeliveryViewController } from './delivery-view.controller.js';
import { ExecutorChoice } from './executor-choice.js';
import { FollowUpService } from './follow-up.service.js';
import { MergeAttemptService } from './merge-attempt.service.js';
import { MergeLanding } from './merge-landing.service.js';
import { MergePlan } from './merge-plan.js';
import { OrchestrationController } from './orchestration.controller.js';
import { PushAttemptService } from './push-attempt.service.js';
import { PushLanding } from './push-landing.service.js';
import { ResolvePrompt } from './resolve-prompt.js';
import { RetargetAttemptService } from './retarget-attempt.service.js';
import { StartAttemptService } from './start-attempt.service.js';
import { StartSessionService } from './start-session.service.js';
import { StopAttemptService } from './stop-attempt.service.js';
import { UndoMergeService } from './undo-merge.service.js';
import { UpdateAttemptBranchService } from './update-attempt-branch.service.js';
import { WaitingFollowUps } from './waiting-follow-ups.js';

/** The verbs that callers ask for. */
@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    TasksModule,
    AttemptsModule,
    SessionsModule,
    ExecutionsModule,
    ExecutorsModule,
    WorkspacesModule,
    IdempotencyModule,
    TurnsModule,
    DeliveriesModule,
    EventsModule,
    ApprovalsModule,
  ],
  controllers: [
    OrchestrationController,
    DeliveryController,
    DeliveryViewController,
    PullRequestController,
    PullRequestReviewController,
    AnswerApprovalController,
  ],
  providers: [
    AttemptPlan,
    ExecutorChoice,
    StartAttemptService,
    StartSessionService,
    FollowUpService,
    ResolvePrompt,
    WaitingFollowUps,
    StopAttemptService,
    DeleteTaskService,
    DeleteProjectService,
    DeliverySubjects,
    DeliveryConsent,
    AnswerApprovalService,
    DeliveryTrace,
    MergePlan,
    MergeLanding,
    MergeAttemptService,
    UndoMergeService,
    PushLanding,
    PushAttemptService,
    UpdateAttemptBranchService,
    RetargetAttemptService,
    ChangePullRequestService,
    CommentPrompt,
    FollowUpPrompt,
    ForgeWebhooks,
    MergePullRequestService,
    OpenPullRequestService,
    OpenedPullRequests,
    PullRequestPolling,
    PullRequestRows,
    PullRequestSync,
    PullRequestTrace,
    ResolveCommentsService,
    ViewDeliveryService,
    ViewPullRequestService,
    PullRequestEffects,
    PullRequestEnds,
  ],
  exports: [
    StartAttemptService,
    FollowUpService,
    StopAttemptService,
    DeleteTaskService,
    MergeAttemptService,
    UndoMergeService,
    PushAttemptService,
    UpdateAttemptBranchService,
    OpenPullRequestService,
    ChangePullRequestService,
    ViewDeliveryService,
    ViewPullRequestService,
    MergePullRequestService,
    AnswerApprovalService,
  ],
})
export class OrchestrationModule {}
