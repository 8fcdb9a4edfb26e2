import { Inject, Injectable } from '@nestjs/common';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type Cell, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { programFolders } from '../platform/sandbox/program-folders.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { ExecutionPlan } from './execution-planner.js';
import { statePaths } from './state-folders.js';

/** Each process in walls of its own: it reaches its attempt, its agent's state, and what it needs to run. */
@Injectable()
export class ExecutionCells {
  constructor(
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
  ) {}

  /** Lends a cell to the work; nothing of it is left afterwards. */
  async within<T>(
    execution: TurnExecution,
    workspace: Workspace,
    { command }: ExecutionPlan,
    work: (cell: Cell) => Promise<T>,
  ): Promise<T> {
    const { writable, readable } = await this.host.confinement(workspace);
    const programs = [command.program, process.execPath, ...command.args].flatMap(programFolders);
    const cell = this.sandbox.open(execution.id, {
      writable: [...writable, ...this.stateOf(command)],
      readable: [...readable, ...programs],
    });
    try {
      return await work(cell);
    } finally {
      await cell.close();
    }
  }

  private stateOf({ state = [] }: ExecutionPlan['command']): string[] {
    return this.sandbox.isolation === 'none' ? [] : statePaths(state);
  }
}
