import { Injectable } from '@nestjs/common';
import { type Recognised, References } from '../mcp/providers.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { idSources } from '../platform/errors/operations.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { isRecord } from '../platform/fields/normalise.js';
import { ActingWorkerService } from '../projects/acting-worker.service.js';
import { type CallIds, type Found, ReferencesRepository } from './references.repository.js';
import { refusedId, replaced, textsAt } from './refused-id.js';

type Arguments = Record<string, unknown>;
const REPOS = ['repo_id', 'repo_ids'];

/** What callers mean by an id of another kind, or by a name. They learn of nothing that they may not read. */
@Injectable()
export class ReferencesService extends References {
  constructor(
    private readonly rows: ReferencesRepository,
    private readonly actors: ActingWorkerService,
  ) {
    super();
  }

  async named(args: unknown, principal: Principal): Promise<unknown> {
    if (!isRecord(args)) return args;
    const projects = textsAt(args, ['project_id']).filter(isName);
    const repos = textsAt(args, REPOS).filter(isName);
    if (projects.length + repos.length === 0) return args;
    const caller = await this.readerOf(args, principal);
    return caller ? this.withIds(args, { projects, repos }, caller) : args;
  }

  async recognise(refused: AppError, args: unknown, principal: Principal): Promise<Recognised | null> {
    const asked = refusedId(refused, args);
    const caller = asked && isRecord(args) ? await this.readerOf(args, principal) : null;
    if (!asked || !caller || !isRecord(args)) return null;
    const found = await this.rows.find(asked.value.trim(), asked.field, caller);
    if (found === null) return asked.field === 'repo_id' ? this.projectOf(refused, args, caller) : null;
    const right = found[asked.field as keyof CallIds] ?? null;
    if (right === asked.value) return null; // refused for another reason
    if (right !== null) return { error: told(refused, found), arguments: replaced(args, asked.value, right) };
    return { error: told(refused, found, leadTo(asked.field, found)), arguments: null };
  }

  private async withIds(
    args: Arguments,
    { projects, repos }: { projects: string[]; repos: string[] },
    caller: Principal,
  ): Promise<Arguments> {
    const [project] = projects;
    const id = project === undefined ? null : await this.rows.findProject(project.trim(), caller);
    const within = id === null ? args : replaced(args, project!, id);
    if (repos.length === 0) return within;
    const names = repos.map(inLowerCase);
    const ids = await this.rows.findRepos(names, idsOf(within), caller);
    return repos.reduce((all, name) => replaced(all, name, ids.get(inLowerCase(name)) ?? name, REPOS), within);
  }

  /** Repositories are listed by their project, which is that of the task. */
  private async projectOf(refused: AppError, args: Arguments, caller: Principal): Promise<Recognised | null> {
    const { task_id } = idsOf(args);
    const task = task_id === null ? null : await this.rows.find(task_id, 'task_id', caller);
    if (!task?.project_id) return null;
    const { project_id } = task;
    return {
      error: AppError.passedOn(refused.code, { ...refused.details, project_id }, refused.hintTemplate),
      arguments: null,
    };
  }

  /** Who reads: the user whom the arguments name, if the dialect takes one. */
  private async readerOf({ user_id }: Arguments, principal: Principal): Promise<Principal | null> {
    if (!principal.scopes.includes('read')) return null;
    if (typeof user_id !== 'string') return principal;
    return this.actors.readAs(user_id, principal).catch(() => null);
  }
}

const isName = (value: string): boolean => value.trim() !== '' && !UUID_PATTERN.test(value.trim());
const inLowerCase = (name: string): string => name.trim().toLowerCase();

const idsOf = (args: Arguments): CallIds => {
  const idAt = (name: string) => {
    const value = args[name];
    return typeof value === 'string' && UUID_PATTERN.test(value) ? value : null;
  };
  return { project_id: idAt('project_id'), task_id: idAt('task_id'), attempt_id: idAt('attempt_id') };
};

/** The refusal, with what the value is and what it belongs to. */
function told(refused: AppError, { kind, project_id, task_id, attempt_id }: Found, lead?: string): AppError {
  const known = lead === undefined ? {} : { project_id, task_id, attempt_id };
  const given = Object.entries(known).filter(([name, id]) => id !== null && !(name in refused.details));
  const what = `That is ${articles[kind]}`;
  return AppError.passedOn(
    refused.code,
    { ...refused.details, is: kind, ...Object.fromEntries(given) },
    lead === undefined ? `${what}; call details.next.` : `${what}: ${lead}`,
  );
}

const articles: Record<Found['kind'], string> = {
  project: 'a project',
  repository: 'a repository',
  task: 'a task',
  attempt: 'an attempt',
  session: 'a session',
  execution: 'an execution',
  title: 'the title of a task',
  branch: 'the branch of an attempt',
};

/** Where to choose from what belongs to the record. */
function leadTo(field: string, { attempts }: Found): string {
  if (attempts === 0) return 'it has no attempt yet; {next:start_task_attempt} starts one.';
  return `choose from {next:${idSources[field] ?? 'list_projects'}}.`;
}
