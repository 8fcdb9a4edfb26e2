import { Inject, Injectable } from '@nestjs/common';
import type { CheckResult } from '../checks/check.entity.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { NormalizedEntry } from '../executors/log-entry.js';
import { commandRefusal, scriptCommand } from '../executors/shell/script-command.js';
import { ShellDriver } from '../executors/shell/shell.driver.js';
import { RunNetworks } from '../network/run-networks.service.js';
import { AppError } from '../platform/errors/app-error.js';
import { lastLines } from '../platform/fields/formats.js';
import type { OutputLine } from '../platform/process/process-types.js';
import { ProjectSecretsService } from '../projects/project-secrets.service.js';
import type { ExecutionPlan } from './execution-planner.js';

const TAIL_LINES = 200;
const TAIL_BYTES = 16 * 1024;

/** Keeps the end of all output for whoever repairs what it says. */
class CheckDriver extends ShellDriver {
  private all = '';

  override push(line: OutputLine): NormalizedEntry[] {
    this.all += line.continues ? line.text : `${line.text}\n`;
    if (this.all.length > 8 * TAIL_BYTES) this.all = this.all.slice(-2 * TAIL_BYTES);
    return super.push(line);
  }

  get lastOutput(): string {
    return lastLines(
      this.all
        .split('\n')
        .slice(-TAIL_LINES - 1)
        .join('\n'),
      TAIL_BYTES,
    );
  }
}

export type CheckPlan = ExecutionPlan & { driver: CheckDriver };

/** The process of a check: no agent, and nothing that is meant for one. */
@Injectable()
export class CheckPlanner {
  constructor(
    private readonly secrets: ProjectSecretsService,
    private readonly networks: RunNetworks,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @throws AppError executor_unavailable, secret_missing, network_unavailable */
  async plan(
    { id: execution_id, project_id }: TurnExecution,
    { name, definition, head, base, merged, target, state }: CheckResult,
    repo_name: string,
  ): Promise<CheckPlan> {
    const reason = commandRefusal(this.environment);
    if (reason !== null) throw new AppError('executor_unavailable', { executor: 'SHELL', reason });
    const closed = definition.network === 'none' ? { wanted: 'none' as const } : {};
    const [secrets, reach] = await Promise.all([
      this.secrets.forProcess(project_id, 'checks'),
      this.networks.ofRun({ project_id, execution_id, executor: null, ...closed }),
    ]);
    const work = merged === null ? head : `${head}, merged into ${target},`;
    const commit = state === 'failed' ? `${base}, without the work,` : work;
    return {
      command: scriptCommand(definition.command),
      driver: new CheckDriver(),
      repo_name,
      isAgent: false,
      secrets,
      network: { reach, executor: null, endpoint: null },
      inherited: [],
      opening: {
        type: 'system_message',
        content: `Running the check ${name} on ${commit} of ${repo_name}.`,
        metadata: { kind: 'check', name },
      },
    };
  }
}
