import { type PromptDefinition, toolDefinitionOf, type Toolset } from '../../mcp/tool.js';
import { restNames } from '../../platform/errors/operations.js';
import {
  CreateTaskTool,
  DeleteTaskTool,
  GetTaskTool,
  ListEventsTool,
  ListExecutorsTool,
  ListProjectsTool,
  ListReposTool,
  ListTasksTool,
  UpdateTaskTool,
} from './board.tools.js';
import {
  FollowUpTool,
  GetAttemptStatusTool,
  GetContextTool,
  ListTaskAttemptsTool,
  StartTaskAttemptTool,
  StopAttemptTool,
  TailAttemptLogsTool,
  TailSessionMessagesTool,
  WaitForAttemptsTool,
} from './attempt.tools.js';
import { RequestHostTool } from './run.tools.js';
import { GetAttemptChangesTool, GetAttemptFileTool, GetAttemptPatchTool } from './review.tools.js';
import {
  GetAttemptDeliveryTool,
  GetPullRequestTool,
  MergePullRequestTool,
  OpenPullRequestTool,
  MergeAttemptTool,
  PushAttemptTool,
  RunAttemptChecksTool,
  UpdateAttemptBranchTool,
} from './delivery.tools.js';

/** The kanban dialect in workflow order: find the work, start it, then the loop. */
const tools = [
  ListProjectsTool,
  ListReposTool,
  ListExecutorsTool,
  ListTasksTool,
  ListEventsTool,
  GetTaskTool,
  CreateTaskTool,
  UpdateTaskTool,
  DeleteTaskTool,
  ListTaskAttemptsTool,
  StartTaskAttemptTool,
  GetAttemptStatusTool,
  WaitForAttemptsTool,
  TailAttemptLogsTool,
  TailSessionMessagesTool,
  GetAttemptChangesTool,
  GetAttemptFileTool,
  GetAttemptPatchTool,
  FollowUpTool,
  StopAttemptTool,
  RunAttemptChecksTool,
  GetAttemptDeliveryTool,
  UpdateAttemptBranchTool,
  MergeAttemptTool,
  PushAttemptTool,
  OpenPullRequestTool,
  GetPullRequestTool,
  MergePullRequestTool,
  GetContextTool,
  RequestHostTool,
];

/** Operations are called as the tools of this dialect. */
const names = new Set(tools.map((tool) => toolDefinitionOf(tool).name));

/** Walks an agent through the loop for one task. */
const workOnTask: PromptDefinition = {
  name: 'work_on_task',
  title: 'Work on a task',
  description: 'Guides you through the loop for one task: start, wait, review, merge.',
  arguments: [
    { name: 'task_id', description: 'Task id (UUID), from list_tasks.', required: true },
    {
      name: 'executor',
      description: 'Executor, from list_executors. Default: any available one.',
      required: false,
    },
  ],
  opening: ({ task_id, executor }) =>
    `Complete task ${task_id}. ` +
    (executor ? `Use executor ${executor}.` : 'Call list_executors and choose an executor.'),
};

export const kanbanToolset: Toolset = {
  id: 'kanban',
  path: '/mcp',
  title: 'Taskyard',
  introduction:
    'Taskyard hands work to coding agents. A project has repositories and tasks. Each attempt at a task has its own ' +
    'git branch, worktrees and sessions with an agent. Take every id from a response: list first, then act.',
  loop: ['start_task_attempt', 'get_attempt_status', 'get_attempt_changes', 'merge_attempt'],
  whenNeeded: [
    'tail_attempt_logs',
    'get_attempt_patch',
    'get_attempt_file',
    'follow_up',
    'stop_attempt',
    'get_attempt_delivery',
    'update_attempt_branch',
    'push_attempt',
  ],
  tools,
  prompts: [workOnTask],
  operationNames: (operation) => (names.has(operation) ? operation : restNames(operation)),
};
