/** An attempt and its agent: start, watch, answer, stop. */
import {
  ListAttemptsInput,
  ListAttemptsOutput,
  AttemptStatusInput,
  AttemptStatusOutput,
  ContextInput,
  ContextOutput,
} from '../../attempts/attempt.dto.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { TailLogsInput, TailLogsOutput } from '../../executions/log.dto.js';
import { LogsService } from '../../executions/logs.service.js';
import { type CallContext, Tool, type ToolHandler } from '../../mcp/tool.js';
import { FollowUpService } from '../../work/follow-up.service.js';
import { StartService } from '../../work/start.service.js';
import {
  FollowUpInput,
  FollowUpOutput,
  StartAttemptInput,
  StartedAttemptOutput,
  StopAttemptInput,
  StopAttemptOutput,
} from '../../work/work.dto.js';
import { StopAttemptService } from '../../work/stop-attempt.service.js';
import { MessagesInput, MessagesOutput } from '../../sessions/session.dto.js';
import { SessionsService } from '../../sessions/sessions.service.js';

@Tool({
  name: 'list_task_attempts',
  title: 'List attempts',
  input: ListAttemptsInput,
  output: ListAttemptsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need the attempt_id of previous work on a task.',
    next: 'get_attempt_status',
    avoid: 'Starting a new attempt when a follow_up on the latest one would do.',
  },
})
export class ListTaskAttemptsTool implements ToolHandler<ListAttemptsInput, ListAttemptsOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: ListAttemptsInput, { principal }: CallContext): Promise<ListAttemptsOutput> {
    return this.attempts.list(input, principal);
  }
}

@Tool({
  name: 'start_task_attempt',
  title: 'Start an attempt',
  input: StartAttemptInput,
  output: StartedAttemptOutput,
  effect: 'execute',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want a coding agent to work on a task on a new branch.',
    next: 'get_attempt_status',
    avoid: 'Repeating the task text in follow_up; the agent already has it.',
  },
})
export class StartTaskAttemptTool implements ToolHandler<StartAttemptInput, StartedAttemptOutput> {
  constructor(private readonly starts: StartService) {}

  call(input: StartAttemptInput, { principal }: CallContext): Promise<StartedAttemptOutput> {
    return this.starts.startAttempt(input, principal);
  }
}

@Tool({
  name: 'get_attempt_status',
  title: 'Get attempt status',
  input: AttemptStatusInput,
  output: AttemptStatusOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to know whether an attempt is running, completed or failed, and what the agent answered.',
    next: 'tail_attempt_logs',
    avoid: 'Calling it in a tight loop; pass wait_ms.',
  },
})
export class GetAttemptStatusTool implements ToolHandler<AttemptStatusInput, AttemptStatusOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: AttemptStatusInput, { principal }: CallContext): Promise<AttemptStatusOutput> {
    return this.attempts.status(input, principal);
  }
}

@Tool({
  name: 'tail_attempt_logs',
  title: 'Tail attempt logs',
  input: TailLogsInput,
  output: TailLogsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to see what the agent is saying and doing.',
    next: 'get_attempt_changes',
    avoid:
      'Passing both cursor (older) and after_entry_index (newer); ' +
      're-reading the tail instead of passing next_after_entry_index.',
  },
})
export class TailAttemptLogsTool implements ToolHandler<TailLogsInput, TailLogsOutput> {
  constructor(private readonly logs: LogsService) {}

  call(input: TailLogsInput, { principal }: CallContext): Promise<TailLogsOutput> {
    return this.logs.tail(input, principal);
  }
}

@Tool({
  name: 'tail_session_messages',
  title: 'Tail session messages',
  input: MessagesInput,
  output: MessagesOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the prompts and answers of a session so far.',
    next: 'follow_up',
    avoid: 'Passing both attempt_id and session_id.',
  },
})
export class TailSessionMessagesTool implements ToolHandler<MessagesInput, MessagesOutput> {
  constructor(private readonly sessions: SessionsService) {}

  call(input: MessagesInput, { principal }: CallContext): Promise<MessagesOutput> {
    return this.sessions.messages(input, principal);
  }
}

@Tool({
  name: 'follow_up',
  title: 'Send a follow-up message',
  input: FollowUpInput,
  output: FollowUpOutput,
  effect: 'execute',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want to send, queue or cancel a message for the agent of an attempt.',
    next: 'get_attempt_status',
    avoid:
      'Passing both attempt_id and session_id; action=send during a run (use queue); ' +
      'using it to stop a run (use stop_attempt).',
  },
})
export class FollowUpTool implements ToolHandler<FollowUpInput, FollowUpOutput> {
  constructor(private readonly followUps: FollowUpService) {}

  call(input: FollowUpInput, { principal }: CallContext): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, principal);
  }
}

@Tool({
  name: 'stop_attempt',
  title: 'Stop an attempt',
  input: StopAttemptInput,
  output: StopAttemptOutput,
  effect: 'delete',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want to stop the running agent.',
    next: 'get_attempt_status',
    avoid: 'Stopping only to send another message; use follow_up with action=queue.',
  },
})
export class StopAttemptTool implements ToolHandler<StopAttemptInput, StopAttemptOutput> {
  constructor(private readonly stops: StopAttemptService) {}

  call(input: StopAttemptInput, { principal }: CallContext): Promise<StopAttemptOutput> {
    return this.stops.stop(input, principal);
  }
}

@Tool({
  name: 'get_context',
  title: 'Get your own context',
  input: ContextInput,
  output: ContextOutput,
  effect: 'read',
  scope: 'read',
  needsAttempt: true,
  guide: {
    useWhen: 'You are working inside an attempt and need its project, task, branch and repositories.',
    next: 'get_attempt_changes',
    avoid: 'Calling it repeatedly; only task_status ever changes.',
  },
})
export class GetContextTool implements ToolHandler<ContextInput, ContextOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(_: ContextInput, { principal, attempt_id }: CallContext): Promise<ContextOutput> {
    return this.attempts.context(attempt_id!, principal);
  }
}
