import { Inject, Injectable } from '@nestjs/common';
import { ExecutorCatalogue } from '../../executors/executor-catalogue.js';
import { CompletionSource } from '../../mcp/providers.js';
import type { CallContext } from '../../mcp/tool.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UUID_PATTERN } from '../../platform/fields/formats.js';
import { ReposRepository } from '../../projects/repos.repository.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { taskStatuses } from '../../tasks/task-stage.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../../workspaces/workspace-host.js';

const LISTED_BRANCHES = 500;

/** Values for executor, variant, status and target_branch. */
@Injectable()
export class KanbanCompletions extends CompletionSource {
  constructor(
    private readonly executors: ExecutorCatalogue,
    private readonly projects: ProjectsRepository,
    private readonly repos: ReposRepository,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
  ) {
    super();
  }

  async complete(
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    call: CallContext,
  ): Promise<string[]> {
    const typed = value.toLowerCase();
    return (await this.candidates(argument, context, call)).filter((candidate) =>
      candidate.toLowerCase().startsWith(typed),
    );
  }

  private async candidates(
    argument: string,
    context: Readonly<Record<string, string>>,
    call: CallContext,
  ): Promise<string[]> {
    switch (argument) {
      case 'executor':
        return (await this.executors.list()).map(({ executor }) => executor);
      case 'variant':
        return (await this.executors.list()).find(({ executor }) => executor === context.executor)?.variants ?? [];
      case 'status':
        return [...taskStatuses];
      case 'target_branch':
        return this.branches(context, call);
      default:
        return [];
    }
  }

  /** Branches of the repository already chosen; none for unknown ids. */
  private async branches(
    { project_id = '', repo_id = '' }: Readonly<Record<string, string>>,
    call: CallContext,
  ): Promise<string[]> {
    if (!UUID_PATTERN.test(project_id) || !UUID_PATTERN.test(repo_id) || !(await this.isVisible(project_id, call)))
      return [];
    const [repo] = await this.repos.listByIds(project_id, [repo_id]);
    return repo ? this.host.branches(repo.path, LISTED_BRANCHES) : [];
  }

  private isVisible(project_id: string, { principal }: CallContext): Promise<boolean> {
    return this.projects.get(principal, project_id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError && !error.row.retryable) return false;
        throw error;
      },
    );
  }
}
