/** Colibri's tasks by stage, and the thought records that DONE needs. */
import { type CallContext, Tool, type ToolContext, type ToolHandler } from '../../mcp/tool.js';
import { LIST_BYTES } from '../../platform/fields/paging.js';
import { toThoughtOutput } from '../../thoughts/thought.dto.js';
import { ThoughtsService } from '../../thoughts/thoughts.service.js';
import { toColibriTask, toColibriTasks, toColibriThoughts } from './colibri-answers.js';
import {
  ColibriCreate,
  ColibriTaskAnswer,
  ColibriTarget,
  ColibriUpdate,
  ColibriList,
  ColibriTasksAnswer,
  ColibriNext,
  ColibriThought,
  ColibriThoughtAnswer,
  ColibriThoughtList,
  ColibriThoughtsAnswer,
  ColibriVerify,
  ColibriVerifyAnswer,
} from './colibri.dto.js';
import { StageBoardService } from './stage-board.service.js';

@Tool({
  name: 'task_create',
  title: 'Create a task',
  input: ColibriCreate,
  output: ColibriTaskAnswer,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You want to add a task; its status defaults to INIT.',
    next: 'task_next_actions',
    avoid: 'Creating a task as DONE to close existing work; use task_update after thought_record.',
  },
})
export class TaskCreateTool implements ToolHandler<ColibriCreate, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(input: ColibriCreate, { principal }: CallContext): Promise<object> {
    const { replayed, ...task } = await this.board.create(input, principal);
    return { ...toColibriTask(task), ...(replayed && { replayed }) };
  }
}

@Tool({
  name: 'task_get',
  title: 'Get a task',
  input: ColibriTarget,
  output: ColibriTaskAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want all fields of one task.',
    next: 'task_update',
    avoid: 'Expecting data.ok on success; it appears, as false, only when the operation was refused.',
  },
})
export class TaskGetTool implements ToolHandler<ColibriTarget, object> {
  constructor(private readonly board: StageBoardService) {}

  async call({ id }: ColibriTarget, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.board.get(id, principal));
  }
}

@Tool({
  name: 'task_update',
  title: 'Update a task',
  input: ColibriUpdate,
  output: ColibriTaskAnswer,
  effect: 'update',
  scope: 'write',
  guide: {
    useWhen: 'You want to change the fields or the stage of a task.',
    next: 'task_next_actions',
    avoid: 'Setting status DONE before calling thought_record; putting fields outside patch.',
  },
})
export class TaskUpdateTool implements ToolHandler<ColibriUpdate, object> {
  constructor(private readonly board: StageBoardService) {}

  async call({ id, patch }: ColibriUpdate, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.board.update(id, patch, principal));
  }
}

@Tool({
  name: 'task_list',
  title: 'List tasks',
  input: ColibriList,
  output: ColibriTasksAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want tasks by stage or project, in creation order.',
    next: 'task_get',
    avoid: 'Taking one page for the whole list; total_count has the full count.',
  },
})
export class TaskListTool implements ToolHandler<ColibriList, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(input: ColibriList, { principal, wording }: ToolContext): Promise<object> {
    const more = (next: number) => `There are more: {next:list_tasks offset=${next}}.`;
    const maxBytes = input.limit === undefined ? LIST_BYTES : undefined;
    return toColibriTasks(await this.board.list(input, principal), wording, more, maxBytes);
  }
}

@Tool({
  name: 'task_next_actions',
  title: 'List open tasks',
  input: ColibriNext,
  output: ColibriTasksAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the tasks that are still open.',
    next: 'task_get',
    avoid: 'Passing arguments; it takes none.',
  },
})
export class TaskNextActionsTool implements ToolHandler<ColibriNext, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(_: ColibriNext, { principal, wording }: ToolContext): Promise<object> {
    const more = () => 'There are more than these: {next:list_tasks} lists all, with status those of one stage.';
    return toColibriTasks(await this.board.nextActions(principal), wording, more, LIST_BYTES);
  }
}

@Tool({
  name: 'thought_record',
  title: 'Write a thought record',
  input: ColibriThought,
  output: ColibriThoughtAnswer,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You planned, decided or finished something; a task needs a record before it can be DONE.',
    next: 'task_update',
    avoid: 'Expecting to edit a record later; records are append-only.',
  },
})
export class ThoughtRecordTool implements ToolHandler<ColibriThought, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call(input: ColibriThought, { principal }: CallContext): Promise<object> {
    return toThoughtOutput(await this.thoughts.record(input, principal));
  }
}

@Tool({
  name: 'thought_record_list',
  title: 'List thought records',
  input: ColibriThoughtList,
  output: ColibriThoughtsAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to read the thought records of a task.',
    next: 'audit_verify_chain',
    avoid: 'Taking one page for the whole list; total_count has the full count.',
  },
})
export class ThoughtRecordListTool implements ToolHandler<ColibriThoughtList, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call({ task_id, ...page }: ColibriThoughtList, { principal }: CallContext): Promise<object> {
    return toColibriThoughts(await this.thoughts.list(task_id, page, principal));
  }
}

@Tool({
  name: 'audit_verify_chain',
  title: 'Verify the chain',
  input: ColibriVerify,
  output: ColibriVerifyAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to verify that no thought record was tampered with.',
    next: 'thought_record_list',
    avoid: 'Reading broken_count without valid; both describe the same records.',
  },
})
export class AuditVerifyChainTool implements ToolHandler<ColibriVerify, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call({ task_id }: ColibriVerify, { principal }: CallContext): Promise<object> {
    return this.thoughts.verify(task_id, principal);
  }
}
