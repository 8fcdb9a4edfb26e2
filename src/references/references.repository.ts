import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import * as sql from './references.sql.js';

/** A record that an id or a text stands for, and the ids of what it belongs to. */
export interface Found {
  kind: 'project' | 'repository' | 'task' | 'attempt' | 'session' | 'execution' | 'title' | 'branch';
  project_id: string | null;
  task_id: string | null;
  attempt_id: string | null;
  session_id: string | null;
  /** Of a task: 2 for several. */
  attempts: number | null;
}

/** Ids of a call that lead to a project. */
export type CallIds = Record<'project_id' | 'task_id' | 'attempt_id', string | null>;

@Injectable()
export class ReferencesRepository {
  constructor(private readonly database: Database) {}

  /** @param field the id that is wanted, of which the beginning is enough
   *  @returns null where nothing, or more than one record, is called so */
  async find(reference: string, field: string, caller: Principal): Promise<Found | null> {
    if (UUID_PATTERN.test(reference)) return only(await this.between(reference, reference, caller));
    if (!BEGINNING.test(reference)) return only(await this.database.query(sql.BY_TEXT, [reference, ...seenBy(caller)]));
    const begun = await this.between(endedWith('0', reference), endedWith('f', reference), caller);
    return only(begun.filter(({ kind }) => `${kind}_id` === field));
  }

  private between(first: string, last: string, caller: Principal): Promise<Found[]> {
    return this.database.query<Found>(sql.BY_ID, [first, ...seenBy(caller), last]);
  }

  /** @returns null where no project, or more than one, is called so */
  async findProject(name: string, caller: Principal): Promise<string | null> {
    const named = await this.database.query<{ id: string; is_slug: boolean }>(sql.PROJECTS_NAMED, [
      name,
      ...seenBy(caller),
    ]);
    return named.length === 1 || named[0]?.is_slug ? named[0]!.id : null;
  }

  /** Ids by the name in lower case. */
  async findRepos(
    names: readonly string[],
    { project_id, task_id, attempt_id }: CallIds,
    caller: Principal,
  ): Promise<Map<string, string>> {
    const values = [names, ...seenBy(caller), project_id, task_id, attempt_id];
    const rows = await this.database.query<{ id: string; name: string }>(sql.REPOS_NAMED, values);
    const isOnly = (name: string) => rows.filter((row) => row.name === name).length === 1;
    return new Map(rows.filter(({ name }) => isOnly(name)).map(({ id, name }) => [name, id]));
  }
}

/** At least eight digits of an id. */
const BEGINNING = /^[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,11})?$/i;
const endedWith = (digit: string, beginning: string): string =>
  beginning + '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit).slice(beginning.length);
const only = (found: Found[]): Found | null => (found.length === 1 ? found[0]! : null);

const seenBy = (caller: Principal) => [projectScope(caller), membershipOf(caller)];
