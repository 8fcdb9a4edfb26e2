import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import type { CommandLine, Driver, Turn } from '../executors/executor.js';
import type { NormalizedEntry } from '../executors/log-entry.js';
import { commandRefusal, scriptCommand } from '../executors/shell/script-command.js';
import { ShellDriver } from '../executors/shell/shell.driver.js';
import { RunNetworks } from '../network/run-networks.service.js';
import { OwnServer } from './own-server.js';
import { endpointInside, networkPreamble, type PlannedNetwork } from './planned-network.js';
import { localOwner } from '../platform/access/principal.js';
import { ProjectSecretsService, type RunSecrets } from '../projects/project-secrets.service.js';
import { ReposRepository } from '../projects/repos.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';

/** Everything an execution needs: the command, the driver of its output, and the first log entries. */
export interface ExecutionPlan {
  command: CommandLine;
  driver: Driver;
  opening: NormalizedEntry;
  /** Repository whose worktree is the working directory; null for that of the attempt. */
  repo_name: string | null;
  /** The agent, not a script before or after it. */
  isAgent: boolean;
  secrets: RunSecrets;
  network: PlannedNetwork;
  /** Names of variables of the server that it gets beside those that every process gets. */
  inherited: readonly string[];
}

const TRANSCRIPT_TURNS = 20;

@Injectable()
export class ExecutionPlanner {
  constructor(
    private readonly taskRows: TasksRepository,
    private readonly repoRows: ReposRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly executors: ExecutorCatalogue,
    private readonly ownServer: OwnServer,
    private readonly secrets: ProjectSecretsService,
    private readonly networks: RunNetworks,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @param isFresh the agent has lost its session and begins a new one, with the transcript as context
   *  @throws AppError executor_unknown, executor_unavailable, variant_unknown, secret_missing, network_unavailable */
  async plan(attempt: Attempt, execution: TurnExecution, cwd: string, isFresh = false): Promise<ExecutionPlan> {
    return isOfAgent(execution)
      ? this.turn(attempt, execution, cwd, isFresh)
      : this.script(attempt, execution);
  }

  private async turn(
    attempt: Attempt,
    execution: TurnExecution,
    cwd: string,
    isFresh: boolean,
  ): Promise<ExecutionPlan> {
    const [session, { title, description }, transcript, secrets] = await Promise.all([
      this.sessionRows.get(localOwner, execution.session_id),
      this.taskRows.getWithAttempts(localOwner, attempt.task_id),
      this.transcript(execution),
      this.secrets.forProcess(attempt.project_id, 'agent'),
    ]);
    const adapter = this.executors.get(session.executor);
    const variant = execution.variant ?? session.variant;
    // a variant removed since the turn was queued is not replaced, because another may allow more
    await this.executors.chooseVariant(session.executor, variant ?? undefined);
    const isReview = execution.run_reason === 'review';
    const network = await this.networkOf(execution, session.executor, adapter.info.supports_mcp);
    if (isReview && network.endpoint === null)
      throw new AppError('executor_without_mcp', { executor: session.executor });
    const turn: Turn = {
      prompt: execution.prompt ?? '',
      isTaskText: execution.is_task_text,
      task: { title, description },
      variant,
      agent_session_id: isFresh ? null : session.agent_session_id,
      cwd,
      transcript,
      preamble: networkPreamble(isReview ? { ...network, endpoint: null } : network),
      mcp: endpointInside(network),
    };
    return {
      ...adapter.drive(turn),
      opening: { type: 'user_message', content: turn.prompt },
      repo_name: null,
      isAgent: true,
      secrets,
      network,
      inherited: this.environment.AGENT_ENV,
    };
  }

  private async networkOf(execution: TurnExecution, executor: string, isMcp: boolean): Promise<PlannedNetwork> {
    const { id: execution_id, project_id } = execution;
    const [reach, endpoint] = await Promise.all([
      this.networks.ofRun({ project_id, execution_id, executor }),
      isMcp ? this.ownServer.endpointFor(execution, executor) : null,
    ]);
    return { reach, executor, endpoint };
  }

  /** Prompts and answers of the turns before this one, oldest first; null before the second. */
  private async transcript({ id, session_id }: TurnExecution): Promise<string | null> {
    const turns = (await this.sessionRows.listTurns(session_id, TRANSCRIPT_TURNS))
      .filter((turn) => turn.turn_id !== id)
      .reverse();
    return turns.length === 0
      ? null
      : turns.map(({ prompt, summary }) => `User: ${prompt ?? ''}\n\nAgent: ${summary ?? '(no answer)'}`).join('\n\n');
  }

  private async script(attempt: Attempt, execution: TurnExecution): Promise<ExecutionPlan> {
    const reason = commandRefusal(this.environment);
    if (reason !== null) throw new AppError('executor_unavailable', { executor: 'SHELL', reason });
    const [repo] = await this.repoRows.listByIds(
      attempt.project_id,
      execution.repo_id === null ? [] : [execution.repo_id],
    );
    const { id: execution_id, project_id } = execution;
    const [secrets, reach] = await Promise.all([
      this.secrets.forProcess(project_id, 'setup'),
      this.networks.ofRun({ project_id, execution_id, executor: null }),
    ]);
    const kind = execution.run_reason === 'setupscript' ? 'setup' : 'cleanup';
    const script = (kind === 'setup' ? repo?.setup_script : repo?.cleanup_script) ?? '';
    return {
      command: scriptCommand(script),
      driver: new ShellDriver(),
      repo_name: repo?.name ?? null,
      isAgent: false,
      secrets,
      network: { reach, executor: null, endpoint: null },
      inherited: this.environment.AGENT_ENV,
      opening: {
        type: 'system_message',
        content: `Running the ${kind} script of ${repo?.name ?? 'a removed repository'}.`,
        metadata: { kind: `${kind}_script` },
      },
    };
  }
}

const isOfAgent = ({ run_reason }: TurnExecution): boolean => run_reason === 'codingagent' || run_reason === 'review';
