import { text } from 'node:stream/consumers';
import { TaskyardError } from '../client/index.js';
import { openInBrowser } from '../platform/process/run-program.js';
import { commandLineSettings } from '../config/command-line.js';
import { chosenAttempt, type AttemptPlace } from './chosen-attempt.js';
import { CommandFailure, exits } from './exits.js';
import { complain, print, printJson } from './output.js';
import { type CommonOptions, openSession, type Session } from './session.js';
import { watch } from './watching.js';

export type TalkOptions = CommonOptions & AttemptPlace;
export type FollowUpOptions = TalkOptions & { queue?: boolean; watch?: boolean };
export type ApproveOptions = TalkOptions & { deny?: boolean | string };
export type StopOptions = TalkOptions & { force?: boolean };

/** Sends a message to the agent. @param words an attempt and a message, or a message alone; `-` reads it */
export async function followUp(words: string[], options: FollowUpOptions): Promise<void> {
  const session = openSession(options);
  const [given, message] = words.length > 1 ? words : [undefined, words[0]];
  const prompt = message === '-' ? await text(process.stdin) : (message ?? '');
  const attempt_id = await chosenAttempt(session, given, options);
  const after = options.watch ? await newestEntry(session, attempt_id) : -1;
  const answer = await session.client.POST('/api/attempts/{attempt_id}/follow-up', {
    params: { path: { attempt_id } },
    body: options.queue ? { action: 'queue', prompt } : { action: 'send', prompt },
  });
  if (options.json) printJson(answer);
  if (options.watch) return watch(session, attempt_id, { ...options, after });
  if (!options.json) complain(`  next: taskyard watch ${attempt_id}`);
}

/** Where the log ends now: what was said before is not shown again. */
async function newestEntry({ client }: Session, attempt_id: string): Promise<number> {
  const params = { path: { attempt_id }, query: { limit: 1 } };
  const { page } = await client.GET('/api/attempts/{attempt_id}/logs', { params });
  return page.entries.at(-1)?.entry_index ?? -1;
}

/** Approves what an agent asks, or denies it. @param given an approval or an attempt */
export async function approve(given: string | undefined, options: ApproveOptions): Promise<void> {
  const session = openSession(options);
  const approval_id = await approvalOf(session, given, options);
  const { deny } = options;
  const reason = typeof deny === 'string' ? { reason: deny } : {};
  const answer = await session.client.POST('/api/approvals/{approval_id}/answer', {
    params: { path: { approval_id } },
    body: deny ? { decision: 'deny', ...reason } : { decision: 'approve' },
  });
  if (options.json) return printJson(answer);
  print(`${deny ? 'denied' : 'approved'}: ${answer.summary}`);
}

async function approvalOf(session: Session, given: string | undefined, place: AttemptPlace): Promise<string> {
  const attempt_id = await chosenAttempt(session, given, place);
  try {
    const params = { path: { attempt_id } };
    const { approval } = await session.client.GET('/api/attempts/{attempt_id}', { params });
    if (approval) return approval.approval_id;
  } catch (error) {
    if (given !== undefined && error instanceof TaskyardError && error.status === 404) return given;
    throw error;
  }
  throw new CommandFailure('the agent asks nothing', exits.failed, `taskyard status ${attempt_id}`);
}

export async function stop(given: string | undefined, options: StopOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const params = { path: { attempt_id } };
  const body = options.force ? { force: true } : {};
  const answer = await session.client.POST('/api/attempts/{attempt_id}/stop', { params, body });
  if (options.json) return printJson(answer);
  print(answer.stopped ? 'stopped' : answer.is_stopping ? 'it is ending' : 'nothing ran');
}

/** Shows the page of an attempt, or says where it is. */
export async function open(given: string | undefined, options: TalkOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const { client, server } = session;
  const { task_id } = await client.GET('/api/attempts/{attempt_id}', { params: { path: { attempt_id } } });
  const { project_id } = await client.GET('/api/tasks/{task_id}', { params: { path: { task_id } } });
  const url = `${server}/ui/p/${project_id}/a/${attempt_id}`;
  if (commandLineSettings().hasScreen && process.stdout.isTTY) openInBrowser(url);
  print(url);
}
