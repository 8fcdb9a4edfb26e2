import type { Toolset } from '../../mcp/tool.js';
import { type Operation, restNames } from '../../platform/errors/operations.js';
import {
  AuditVerifyChainTool,
  TaskCreateTool,
  TaskGetTool,
  TaskListTool,
  TaskNextActionsTool,
  TaskUpdateTool,
  ThoughtRecordTool,
  ThoughtRecordListTool,
} from './colibri.tools.js';
import { ColibriFailure } from './colibri.dto.js';
import { renderColibriError } from './colibri-answers.js';

/** The Colibri dialect: the five task tools, then the records that DONE needs. */
const tools = [
  TaskCreateTool,
  TaskGetTool,
  TaskUpdateTool,
  TaskListTool,
  TaskNextActionsTool,
  ThoughtRecordTool,
  ThoughtRecordListTool,
  AuditVerifyChainTool,
];

const operations: Partial<Record<Operation, string>> = {
  list_tasks: 'task_list',
  get_task: 'task_get',
  write_thought: 'thought_record',
};

export const colibriToolset: Toolset = {
  id: 'colibri',
  path: '/mcp/colibri',
  title: 'Taskyard, Colibri dialect',
  introduction:
    'Tasks move through the stages INIT, GATHER, ANALYZE, PLAN, APPLY, VERIFY, DONE and CANCELLED. ' +
    'Every response is {ok, data}; data.ok is false when the operation was refused. ' +
    'A task needs a thought record before it can be DONE.',
  loop: ['task_next_actions', 'task_get', 'task_update', 'thought_record'],
  tools,
  operationNames: (operation) => operations[operation] ?? restNames(operation),
  renderResult: (result) => ({ ok: true, data: result }),
  renderError: (error, call) => renderColibriError(error, call, colibriToolset.operationNames),
  freeTextIds: ['project_id', 'task_id', 'agent_id', 'session_id'],
  errorOutput: ColibriFailure,
};
