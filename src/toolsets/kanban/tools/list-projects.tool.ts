import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ListProjectsInput, ListProjectsOutput } from '../../../projects/project.dto.js';
import { ProjectsService } from '../../../projects/projects.service.js';

@Injectable()
@Tool({
  name: 'list_projects',
  title: 'List projects',
  input: ListProjectsInput,
  output: ListProjectsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need a project_id.',
    next: 'list_tasks',
    avoid: 'Guessing ids; take every id from a response.',
  },
})
export class ListProjectsTool implements ToolHandler<ListProjectsInput, ListProjectsOutput> {
  constructor(private readonly projects: ProjectsService) {}

  call(input: ListProjectsInput, { principal }: CallContext): Promise<ListProjectsOutput> {
    return this.projects.list(input, principal);
  }
}
