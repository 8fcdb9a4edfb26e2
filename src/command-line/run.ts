import path from 'node:path';
import type { Schemas } from '../client/index.js';
import { chosenExecutor } from './chosen-executor.js';
import { CommandFailure, exits } from './exits.js';
import { folderAt, type FoundProject, projectNamed, projectOf } from './folder.js';
import { ask, complain, isTerminal, print, printJson } from './output.js';
import { type CommonOptions, openSession, type Session } from './session.js';
import { watch, type WatchOptions } from './watching.js';

export interface RunOptions extends CommonOptions, WatchOptions {
  project?: string;
  repo: string;
  executor?: string;
  variant?: string;
  watch?: boolean;
  requestId?: string;
  yes?: boolean;
}

/** The longest title that reads well on a card. */
const TITLE_CHARACTERS = 200;

/** Hands over work: a task of the text, and an attempt at it. */
export async function run(text: string, options: RunOptions): Promise<void> {
  const prompt = text.trim();
  if (prompt === '') throw new CommandFailure('say what is to be done', exits.usage, 'taskyard run "…"');
  const session = openSession(options);
  const [found, executor] = await Promise.all([projectFor(session, options), chosenExecutor(session, options)]);
  const project = found ?? (await makeProject(session, options));
  const attempt = await handOver(session, project, prompt, { ...options, executor });
  const { attempt_id } = attempt;
  if (options.json) printJson(attempt);
  else if (options.watch) complain(`attempt ${attempt_id} in ${project.name}`);
  else print(attempt_id);
  if (options.watch) return watch(session, attempt_id, { ...options, first: attempt.execution_process_id });
  if (!options.json) complain(`  next: taskyard watch ${attempt_id}`);
}

/** Null where the folder has none. */
async function projectFor(session: Session, { project, repo }: RunOptions): Promise<FoundProject | null> {
  return project === undefined ? projectOf(session, folderAt(repo)) : projectNamed(session, project);
}

async function makeProject(session: Session, { repo, yes = false }: RunOptions): Promise<FoundProject> {
  const folder = folderAt(repo);
  const { root } = folder;
  const remote = session.isHere ? null : await folder.remote();
  const name = path.basename(root);
  const lacks = `no project holds ${root}`;
  if (!session.isHere && remote === null)
    throw new CommandFailure(`${lacks}, which has no remote that ${session.server} could clone`);
  const mayMake = yes || (isTerminal() && /^(y|$)/.test(await ask(`${lacks}. Make the project ${name}? [Y/n]`)));
  if (!mayMake) throw new CommandFailure(lacks, exits.failed, 'taskyard run "…" --yes');
  const place = session.isHere ? { path: root } : { url: remote! };
  return session.client.POST('/api/projects', { body: { name, repos: [place] } });
}

/** Repeated with the same request id, it finds what it made. */
async function handOver(
  { client }: Session,
  { project_id }: FoundProject,
  prompt: string,
  { executor, variant, requestId }: RunOptions,
): Promise<Schemas['StartedAttemptOutput']> {
  const keyed = (step: string) => (requestId === undefined ? {} : { header: { 'Idempotency-Key': requestId + step } });
  const [title = ''] = prompt.split('\n');
  const { task_id } = await client.POST('/api/projects/{project_id}/tasks', {
    params: { path: { project_id }, ...keyed(':task') },
    body: { title: title.slice(0, TITLE_CHARACTERS), description: prompt },
  });
  return client.POST('/api/tasks/{task_id}/attempts', {
    params: { path: { task_id }, ...keyed(':attempt') },
    body: { prompt, ...(executor !== undefined && { executor }), ...(variant !== undefined && { variant }) },
  });
}
