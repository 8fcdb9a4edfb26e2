/** An attempt and its agent: start, watch, answer, stop. */
import {
  ListAttemptsInput,
  ListAttemptsOutput,
  AttemptStatusInput,
  AttemptStatusOutput,
  ContextInput,
  ContextOutput,
  WaitForAttemptsInput,
  WaitForAttemptsOutput,
} from '../../attempts/attempt.dto.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { TailLogsInput } from '../../executions/log.dto.js';
import { LogsService } from '../../executions/logs.service.js';
import { type CallContext, Tool, type ToolContext, type ToolHandler } from '../../mcp/tool.js';
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
import { sharedOnce, TailedLogsOutput } from './tailed-logs.js';

@Tool({
  name: 'list_task_attempts',
  title: 'List attempts',
  input: ListAttemptsInput,
  output: ListAttemptsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need the attempt_id of earlier work.',
    next: 'get_attempt_status',
    avoid: 'A new attempt where follow_up would do.',
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
    useWhen: 'You want an agent to work on a task on a new branch.',
    next: 'get_attempt_status',
    avoid: 'Repeating the task in follow_up.',
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
    useWhen: 'You want the state of an attempt and the answer of its agent.',
    next: 'tail_attempt_logs',
    avoid: 'A tight loop; pass wait_ms.',
  },
})
export class GetAttemptStatusTool implements ToolHandler<AttemptStatusInput, AttemptStatusOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: AttemptStatusInput, { principal }: CallContext): Promise<AttemptStatusOutput> {
    return this.attempts.status(input, principal);
  }
}

@Tool({
  name: 'wait_for_attempts',
  title: 'Wait for attempts',
  input: WaitForAttemptsInput,
  output: WaitForAttemptsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You wait for several attempts to end or ask for approval.',
    next: 'get_attempt_changes',
    avoid: 'Passing again those in done.',
  },
})
export class WaitForAttemptsTool implements ToolHandler<WaitForAttemptsInput, WaitForAttemptsOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: WaitForAttemptsInput, { principal }: CallContext): Promise<WaitForAttemptsOutput> {
    return this.attempts.waitFor(input, principal);
  }
}

@Tool({
  name: 'tail_attempt_logs',
  title: 'Tail attempt logs',
  input: TailLogsInput,
  output: TailedLogsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to see what the agent says and does.',
    next: 'get_attempt_changes',
    avoid: 'Both cursor (older) and after_entry_index (newer).',
  },
})
export class TailAttemptLogsTool implements ToolHandler<TailLogsInput, TailedLogsOutput> {
  constructor(private readonly logs: LogsService) {}

  async call(input: TailLogsInput, { principal, wording }: ToolContext): Promise<TailedLogsOutput> {
    return sharedOnce(await this.logs.tail(input, principal, wording));
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
    useWhen: 'You want prompts and answers of a session.',
    next: 'follow_up',
    avoid: 'Both attempt_id and session_id.',
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
  needsForge: ['include_untrusted'],
  guide: {
    useWhen: 'You send, queue or cancel a message for the agent.',
    next: 'get_attempt_status',
    avoid: 'send during a run (use queue); stopping (use stop_attempt).',
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
    useWhen: 'You want to stop the agent.',
    next: 'get_attempt_status',
    avoid: 'Stopping only to say more; use follow_up with action=queue.',
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
    useWhen: 'You work inside an attempt and need its project, task, branch and repositories.',
    next: 'get_attempt_changes',
    avoid: 'Repeating it; only task_status ever changes.',
  },
})
export class GetContextTool implements ToolHandler<ContextInput, ContextOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(_: ContextInput, { principal, attempt_id }: CallContext): Promise<ContextOutput> {
    return this.attempts.context(attempt_id!, principal);
  }
}
