import type { Toolset } from '../../mcp/tool.js';
import { type Operation, restNames } from '../../platform/errors/operations.js';
import {
  TaskflowAddTaskTool,
  TaskflowAssignTaskTool,
  TaskflowDeleteTaskTool,
  TaskflowListProjectsTool,
  TaskflowListTasksTool,
  TaskflowUpdateTaskTool,
} from './board.tools.js';
import {
  TaskflowCompleteTaskTool,
  TaskflowRequestReviewTool,
  TaskflowStartTaskTool,
  TaskflowUpdateProgressTool,
} from './work.tools.js';
import { TaskflowFailure } from './taskflow.dto.js';
import { renderTaskflowError } from './taskflow-answers.js';

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
  request_review: 'taskflow_request_review',
  complete_task: 'taskflow_complete_task',
  assign_task: 'taskflow_assign_task',
};

export const taskflowToolset: Toolset = {
  id: 'taskflow',
  path: '/mcp/taskflow',
  title: 'Taskyard, TaskFlow dialect',
  introduction:
    'People and agents are workers: they claim tasks, report progress and request reviews. ' +
    'Every call names the acting user in user_id; ' +
    'a new one becomes a worker, with a project of its own, by its first write. ' +
    'Only members can access a project that has members.',
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
    structured: renderTaskflowError(error, call, taskflowToolset.operationNames),
  }),
  renderText: (structured) => (structured.hint === undefined ? (structured.result ?? structured) : structured),
  freeTextIds: ['user_id', 'task_id'], // a refusal repeats the task_id it was given, whatever it was
  errorOutput: TaskflowFailure,
};
