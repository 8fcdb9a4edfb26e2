import './error-catalogue.js'; // before the controllers, whose documentation reads it
import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { Approval } from './approvals/approval.entity.js';
import { Attempt, AttemptRepo } from './attempts/attempt.entity.js';
import { CheckRunsModule } from './check-runs/check-runs.module.js';
import { CheckBaseline, CheckResult, CheckRun, RepoChecks } from './checks/check.entity.js';
import { AgentReview } from './comments/agent-review.entity.js';
import { Comment } from './comments/comment.entity.js';
import { BackupModule } from './backup/backup.module.js';
import type { Environment } from './config/environment.js';
import { Continuation } from './continuations/continuation.entity.js';
import { ContinuationsModule } from './continuations/continuations.module.js';
import { Delivery } from './deliveries/delivery.entity.js';
import { PullRequestCommentRow, PullRequestRow } from './deliveries/pull-request.entity.js';
import { Execution } from './executions/execution.entity.js';
import { ForgesModule } from './forges/forges.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { logOptions } from './platform/telemetry/process-log.js';
import { ClusterModule } from './cluster/cluster.module.js';
import { RunnersModule } from './cluster/runners.controller.js';
import { HealthModule } from './health/health.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PlatformModule } from './platform/platform.module.js';
import { Project } from './projects/project.entity.js';
import { Repo } from './projects/repo.entity.js';
import { RepairModule } from './repair/repair.module.js';
import { RunnerModule } from './runner/runner.module.js';
import { QueuedMessage, Session } from './sessions/session.entity.js';
import { SearchModule } from './search/search.module.js';
import { Task } from './tasks/task.entity.js';
import { ProjectGroup } from './projects/project-group.entity.js';
import { ProjectMember } from './projects/project-member.entity.js';
import { TurnAuthor } from './turns/turn-author.entity.js';
import { Worker } from './workers/worker.entity.js';
import { WorkersModule } from './workers/workers.module.js';
import { ServiceToken } from './tokens/service-token.entity.js';
import { TokensModule } from './tokens/tokens.module.js';
import { ThoughtRecord } from './thoughts/thought-record.entity.js';
import { reviewToolset } from './toolsets/review/review.toolset.js';
import { toolsets } from './toolsets/toolsets.js';
import { TransferModule } from './transfer/transfer.module.js';
import { ToolsetsModule } from './toolsets/toolsets.module.js';
import { SERVER_INFO } from './config/version.js';

export const entities = [
  Worker,
  Project,
  ProjectGroup,
  ProjectMember,
  Repo,
  Task,
  Attempt,
  AttemptRepo,
  Session,
  QueuedMessage,
  Execution,
  TurnAuthor,
  Continuation,
  ThoughtRecord,
  Approval,
  AgentReview,
  Comment,
  RepoChecks,
  CheckRun,
  CheckResult,
  CheckBaseline,
  Delivery,
  PullRequestRow,
  PullRequestCommentRow,
  ServiceToken,
];

/** Serves callers: REST, and the toolsets over MCP. */
const serving = [
  McpModule.forToolsets([...toolsets, reviewToolset], SERVER_INFO),
  WorkersModule,
  TokensModule,
  ToolsetsModule,
  SearchModule,
  InboxModule,
  RunnersModule,
  TransferModule,
];

@Module({})
export class AppModule {
  static forServer(environment: Environment, databaseUrl: string): DynamicModule {
    return {
      module: AppModule,
      imports: [
        LoggerModule.forRoot({ forRoutes: [], pinoHttp: logOptions(environment) }),
        PlatformModule.forServer(environment, databaseUrl, entities),
        ClusterModule.forServer(environment, databaseUrl, SERVER_INFO.version),
        HealthModule,
        ForgesModule,
        CheckRunsModule,
        ContinuationsModule,
        RepairModule,
        ...(environment.ROLE === 'runner' ? [] : [...serving, BackupModule.forServer(environment, databaseUrl)]),
        ...(environment.ROLE === 'runner' || environment.PAGES === 'off' ? [] : [PagesModule]),
        ...(environment.ROLE === 'api' ? [] : [RunnerModule]),
      ],
    };
  }
}
