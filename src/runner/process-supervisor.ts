import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApprovalRequestsService } from '../approvals/approval-requests.service.js';
import type { Attempt } from '../attempts/attempt.entity.js';
import { agentEnvironment } from '../config/child-environment.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { LogRepository } from '../executions/log.repository.js';
import { LogWriter, type WriterEvents } from '../executions/log-writer.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { niced } from '../platform/process/niced.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import type { ProcessSpec } from '../platform/process/process-types.js';
import type { LeasedJob } from '../cluster/turn-claims.js';
import type { Cell } from '../platform/sandbox/sandbox.js';
import { currentTraceparent } from '../platform/telemetry/scope.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { ActiveTurns, stopKey } from '../turns/active-turns.js';
import type { ExecutionPlan } from './execution-planner.js';
import { type EndedProcess, ExecutionProcess } from './execution-process.js';
import { networkVariables } from './planned-network.js';
import { retryUntilAvailable } from './retry-until-available.js';

const STOP_POLL_MS = 2_000;

/** Working directory and sandbox of a process. */
export interface Surroundings {
  cwd: string;
  cell: Cell;
}

export interface SupervisedEnd extends EndedProcess {
  /** The agent no longer knows its conversation. */
  hasLostSession: boolean;
}

/** Runs the process of an execution, and stops it on requests from here or elsewhere. */
@Injectable()
export class ProcessSupervisor {
  private readonly logger = new Logger(ProcessSupervisor.name);

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly pool: ProcessPool,
    private readonly hub: ChangeHub,
    private readonly logRows: LogRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly approvalRequests: ApprovalRequestsService,
    private readonly activeTurns: ActiveTurns,
  ) {}

  async run(
    attempt: Attempt,
    execution: TurnExecution,
    plan: ExecutionPlan,
    { cwd, cell }: Surroundings,
    job: LeasedJob,
  ): Promise<SupervisedEnd> {
    const process = this.processOf(attempt, execution, plan, cell, job);
    this.activeTurns.add(execution.id, process);
    cell.watch(() => process.exceed());
    const over = new AbortController();
    void this.watchStops(execution, process, over.signal);
    try {
      await this.applyStopRequest(execution, process);
      return { ...(await process.run(cwd)), hasLostSession: process.hasLostSession };
    } finally {
      over.abort();
      this.activeTurns.delete(execution.id);
    }
  }

  /** Applies stop requests from any process; it looks at least every 2 s. */
  private async watchStops(execution: TurnExecution, process: ExecutionProcess, over: AbortSignal): Promise<void> {
    const requests = this.hub.subscribe(stopKey(execution.id));
    over.addEventListener('abort', () => requests.nudge());
    while (!over.aborted) {
      await requests.next(STOP_POLL_MS);
      if (!over.aborted) await this.applyStopRequest(execution, process);
    }
    requests.close();
  }

  private processOf(
    attempt: Attempt,
    execution: TurnExecution,
    plan: ExecutionPlan,
    cell: Cell,
    job: LeasedJob,
  ): ExecutionProcess {
    return new ExecutionProcess(plan, {
      marker: execution.id,
      env: {
        ...this.environmentOf(attempt, plan),
        ...plan.command.env,
        ...plan.secrets.environment,
        ...networkVariables(plan.network),
      },
      timeoutMs: (execution.timeout_secs ?? this.environment.EXECUTION_TIMEOUT_SECS) * 1_000,
      lost: job.lost,
      start: (spec) => {
        const command = niced(cell.wrap(spec, spec.cwd));
        return this.pool.start({ ...spec, ...command, launcher: cell.starter, onLine: heardBy(cell, spec) });
      },
      wasOver: (since) => this.pool.wasOver(since),
      limitHit: () => limitHit(cell, this.environment),
      log: (events) => this.writerOf(execution, events),
      decide: (request) => this.approvalRequests.ask(execution, request, job.lost),
      onAgentSession: (id) => this.keepAgentSession(execution, id, job),
    });
  }

  /** The allow-listed environment and where the process is, never the server's own settings. */
  private environmentOf(attempt: Attempt, { inherited }: ExecutionPlan): Record<string, string> {
    const traceparent = currentTraceparent();
    return {
      ...agentEnvironment(inherited),
      TASKYARD_PROJECT_ID: attempt.project_id,
      TASKYARD_TASK_ID: attempt.task_id,
      TASKYARD_ATTEMPT_ID: attempt.id,
      TASKYARD_BRANCH: attempt.branch,
      ...(traceparent ? { TRACEPARENT: traceparent } : {}),
    };
  }

  private writerOf({ attempt_id, id, job_id }: TurnExecution, events: WriterEvents): LogWriter {
    const writer = { attempt_id, execution_id: id, job_id };
    return new LogWriter(writer, this.logRows, this.hub, this.environment.RUN_LOG_MAX_BYTES, events);
  }

  /** Applies a stop requested elsewhere, or before the process was known here. Failures are left to the next look. */
  private async applyStopRequest({ id, job_id }: TurnExecution, process: ExecutionProcess): Promise<void> {
    try {
      const stop = await this.executionRows.findStop(id, job_id);
      if (stop.isRequested || !stop.isMine) process.stop(stop.isForced || !stop.isMine);
    } catch (error) {
      this.logger.warn({ err: error, execution_id: id }, 'could not look whether a stop is asked for');
    }
  }

  /** Without it the next turn could not resume the agent's conversation. */
  private keepAgentSession(execution: TurnExecution, agent_session_id: string, job: LeasedJob): void {
    const store = () => this.sessionRows.setAgentSession(execution.session_id, agent_session_id);
    retryUntilAvailable(job.lost, store).catch((error: unknown) =>
      this.logger.error({ err: error, execution_id: execution.id }, 'the session of the agent could not be kept'),
    );
  }
}

const heardBy =
  (cell: Cell, { onLine }: ProcessSpec): ProcessSpec['onLine'] =>
  (line) => {
    cell.hear(line);
    onLine(line);
  };

/** The limit that the process hit, in words, or null. */
function limitHit(cell: Cell, { RUN_MEMORY_MAX, RUN_PROCESSES_MAX, RUN_DISK_MAX }: Environment): string | null {
  switch (cell.limitHit()) {
    case 'memory':
      return `out of memory: a run may use ${RUN_MEMORY_MAX} bytes (RUN_MEMORY_MAX)`;
    case 'processes':
      return `too many processes: a run may have ${RUN_PROCESSES_MAX} (RUN_PROCESSES_MAX)`;
    case 'disk':
      return `too much on disk: a run may take ${RUN_DISK_MAX} bytes (RUN_DISK_MAX)`;
    case null:
      return null;
  }
}
