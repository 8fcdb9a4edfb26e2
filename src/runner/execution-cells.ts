import { Inject, Injectable } from '@nestjs/common';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type Cell, type Confinement, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { programFolders } from '../platform/sandbox/program-folders.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { ExecutionPlan } from './execution-planner.js';
import { AgentSessions } from './agent-sessions.js';
import { stateFolders } from './state-folders.js';

/** Each process in walls of its own: it reaches its attempt, its agent's state, and what it needs to run. */
@Injectable()
export class ExecutionCells {
  constructor(
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly sessions: AgentSessions,
  ) {}

  /** Lends a cell to the work; nothing of it is left afterwards. */
  async within<T>(
    execution: TurnExecution,
    workspace: Workspace,
    { command }: ExecutionPlan,
    work: (cell: Cell) => Promise<T>,
  ): Promise<T> {
    await this.sessions.restore(execution, this.host.workingDirectory(workspace));
    const cell = this.sandbox.open(execution.id, await this.confinementOf(workspace, command));
    try {
      return await work(cell);
    } finally {
      await cell.close();
    }
  }

  /** Nothing is looked up for a process that nothing confines. */
  private async confinementOf(
    workspace: Workspace,
    { program, installed = [], state = [] }: ExecutionPlan['command'],
  ): Promise<Confinement> {
    if (this.sandbox.isolation === 'none') return { writable: [], readable: [] };
    const { writable, readable, environment } = await this.host.confinement(workspace);
    const programs = [program, process.execPath, ...installed].flatMap(programFolders);
    return { writable: [...writable, ...stateFolders(state)], readable: [...readable, ...programs], environment };
  }
}
