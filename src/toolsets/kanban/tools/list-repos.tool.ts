import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ListReposInput, ListReposOutput } from '../../../projects/repo.dto.js';
import { ProjectsService } from '../../../projects/projects.service.js';

@Injectable()
@Tool({
  name: 'list_repos',
  title: 'List repositories',
  input: ListReposInput,
  output: ListReposOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to choose repositories or base branches for an attempt.',
    next: 'start_task_attempt',
    avoid: 'Passing repo_name where repo_id is required.',
  },
})
export class ListReposTool implements ToolHandler<ListReposInput, ListReposOutput> {
  constructor(private readonly projects: ProjectsService) {}

  call(input: ListReposInput, { principal }: CallContext): Promise<ListReposOutput> {
    return this.projects.listRepos(input, principal);
  }
}
