import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { ProjectsService } from '../../../projects/projects.service.js';
import { ActingUser, TaskflowProjects } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_list_projects',
  title: 'List projects',
  input: ActingUser,
  output: TaskflowProjects,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: "You need the project_id of one of the user's projects.",
    next: 'taskflow_list_tasks',
    avoid: 'Expecting projects the user is not a member of.',
  },
})
export class TaskflowListProjectsTool implements ToolHandler<ActingUser, TaskflowProjects> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly projects: ProjectsService,
  ) {}

  async call({ user_id }: ActingUser, context: CallContext): Promise<TaskflowProjects> {
    return { result: await this.projects.listOwn(await this.actors.readIn(context, user_id)) };
  }
}
