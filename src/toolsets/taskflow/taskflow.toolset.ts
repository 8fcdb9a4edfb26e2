import type { Toolset } from '../../mcp/tool.js';
import { type Operation, restNames } from '../../platform/errors/operations.js';
import { TaskflowAddTaskTool } from './tools/taskflow-add-task.tool.js';
import { TaskflowAssignTaskTool } from './tools/taskflow-assign-task.tool.js';
import { TaskflowCompleteTaskTool } from './tools/taskflow-complete-task.tool.js';
import { TaskflowDeleteTaskTool } from './tools/taskflow-delete-task.tool.js';
import { TaskflowListProjectsTool } from './tools/taskflow-list-projects.tool.js';
import { TaskflowListTasksTool } from './tools/taskflow-list-tasks.tool.js';
import { TaskflowRequestReviewTool } from './tools/taskflow-request-review.tool.js';
import { TaskflowStartTaskTool } from './tools/taskflow-start-task.tool.js';
import { TaskflowUpdateProgressTool } from './tools/taskflow-update-progress.tool.js';
import { TaskflowUpdateTaskTool } from './tools/taskflow-update-task.tool.js';
import { TaskflowFailure } from './taskflow.dto.js';
import { renderTaskflowError } from './taskflow-error.js';

/** The TaskFlow dialect in workflow order. */
const tools = [
  TaskflowListProjectsTool,
  TaskflowListTasksTool,
  TaskflowAddTaskTool,
  TaskflowStartTaskTool,
  TaskflowUpdateProgressTool,
  TaskflowRequestReviewTool,
  TaskflowCompleteTaskTool,
  TaskflowUpdateTaskTool,
  TaskflowAssignTaskTool,
  TaskflowDeleteTaskTool,
];

const operations: Partial<Record<Operation, string>> = {
  list_projects: 'taskflow_list_projects',
  list_tasks: 'taskflow_list_tasks',
  get_task: 'taskflow_list_tasks',
  start_task: 'taskflow_start_task',
  assign_task: 'taskflow_assign_task',
};

export const taskflowToolset: Toolset = {
  id: 'taskflow',
  path: '/mcp/taskflow',
  title: 'Taskyard, TaskFlow dialect',
  introduction:
    'People and agents are workers: they claim tasks, report progress and request reviews. ' +
    'Every call names the acting user in user_id. Only members can access a project that has members.',
  loop: [
    'taskflow_list_tasks',
    'taskflow_start_task',
    'taskflow_update_progress',
    'taskflow_request_review',
    'taskflow_complete_task',
  ],
  tools,
  operationNames: (operation) => operations[operation] ?? restNames(operation),
  renderError: (error, call) => ({
    isError: true,
    structured: renderTaskflowError(error, call.arguments, taskflowToolset.operationNames),
  }),
  renderText: (structured) => structured.result ?? structured,
  freeTextIds: ['user_id', 'task_id'], // a refusal repeats the task_id it was given, whatever it was
  errorOutput: TaskflowFailure,
};
