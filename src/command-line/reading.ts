import { chosenAttempt, type AttemptPlace } from './chosen-attempt.js';
import { CommandFailure } from './exits.js';
import { pagesOf, requireProject } from './folder.js';
import { LogLines } from './log-lines.js';
import { complain, print, printJson, printStream, printTable, styled } from './output.js';
import { type CommonOptions, openSession, type Session } from './session.js';
import { watch, type WatchOptions } from './watching.js';

export type ReadOptions = CommonOptions & AttemptPlace;
export type ListOptions = ReadOptions & { projects?: boolean; limit?: number };
export type WatchedOptions = ReadOptions & WatchOptions;
export type LogOptions = ReadOptions & { follow?: boolean; raw?: boolean };

const LISTED = 30;

/** Projects, or the newest tasks of one. */
export async function list(options: ListOptions): Promise<void> {
  const session = openSession(options);
  if (options.projects) {
    for await (const projects of pagesOf(session)) {
      if (options.json) projects.forEach(printJson);
      else printTable(projects.map(({ project_id, slug, name }) => [project_id, slug, name]));
    }
    return;
  }
  const { project_id } = await requireProject(session, options);
  const { tasks } = await session.client.GET('/api/projects/{project_id}/tasks', {
    params: { path: { project_id }, query: { limit: options.limit ?? LISTED } },
  });
  if (options.json) return tasks.forEach(printJson);
  printTable(
    tasks.map((task) => [task.latest_attempt_id ?? '', task.status ?? '', task.delivery_state ?? '', task.title ?? '']),
  );
}

export async function status(given: string | undefined, options: ReadOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const params = { path: { attempt_id } };
  const found = await session.client.GET('/api/attempts/{attempt_id}', { params });
  if (options.json) return printJson(found);
  const { state, workspace_branch, delivery_state, failure_summary, approval, pr_url, final_message } = found;
  const rows = {
    attempt: attempt_id,
    state,
    branch: workspace_branch,
    delivery: delivery_state,
    'pull request': pr_url,
  };
  const more = { failed: failure_summary, asks: approval?.summary };
  const said = Object.entries({ ...rows, ...more }).filter((row): row is [string, string] => Boolean(row[1]));
  printTable(said.map(([name, value]) => [styled('dim', name), value]));
  if (final_message) print(`\n${final_message}`);
  if (approval) complain(`  next: taskyard approve ${approval.approval_id}`);
}

export async function watchAttempt(given: string | undefined, options: WatchedOptions): Promise<void> {
  const session = openSession(options);
  await watch(session, await chosenAttempt(session, given, options), options);
}

/** The log as it is now, or as it goes on. */
export async function log(given: string | undefined, options: LogOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const channel = options.raw ? 'raw' : 'normalized';
  const lines = new LogLines(options.json === true);
  if (options.follow) for await (const entry of session.client.followLog(attempt_id, { channel })) lines.show(entry);
  for (let after = -1; !options.follow;) {
    const query = { channel, after_entry_index: after, limit: 1_000 } as const;
    const params = { path: { attempt_id }, query };
    const { page } = await session.client.GET('/api/attempts/{attempt_id}/logs', { params });
    page.entries.forEach((entry) => lines.show(entry));
    after = page.next_after_entry_index ?? after;
    if (!page.has_more) break;
  }
  lines.close();
}

/** The whole diff, as `git apply` takes it: what others wrote in it is no text for a terminal, so there it is shown. */
export async function diff(given: string | undefined, { repo, ...options }: ReadOptions): Promise<void> {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const repo_id = repo === undefined ? undefined : await repositoryNamed(session, attempt_id, repo);
  const body: ReadableStream<Uint8Array> = await session.client.GET('/api/attempts/{attempt_id}/diff.patch', {
    params: { path: { attempt_id }, query: repo_id === undefined ? {} : { repo_id } },
    parseAs: 'stream',
  });
  await printStream(body);
}

async function repositoryNamed({ client }: Session, attempt_id: string, name: string): Promise<string> {
  const { repos } = await client.GET('/api/attempts/{attempt_id}/delivery', { params: { path: { attempt_id } } });
  const found = repos.find(({ repo_name }) => repo_name === name);
  if (found) return found.repo_id;
  const known = repos.map(({ repo_name }) => repo_name);
  throw new CommandFailure(`the attempt has no repository ${name}, but ${known.join(', ')}`);
}
