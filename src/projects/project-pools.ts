import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { sortedLabels } from '../config/labels.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Which runners the turns of a project may go to; only a maintainer decides that. */
@Injectable()
export class ProjectPools {
  constructor(private readonly projectRows: ProjectsRepository) {}

  /** The labels after a change. @throws AppError invalid_argument, forbidden, insufficient_scope */
  async changed({ id, runs_on }: Project, change: string[] | undefined, principal: Principal): Promise<string[]> {
    const after = change === undefined ? runs_on : canonicalLabels(change);
    if (!isDeepStrictEqual(after, runs_on)) await this.requireMaintainer(id, principal);
    return after;
  }

  /** @throws AppError forbidden, insufficient_scope */
  async requireMaintainer(project_id: string, principal: Principal): Promise<void> {
    await this.projectRows.get(withRight(principal, rightOf({ scope: 'write', role: 'maintainer' })), project_id);
  }
}

/** @throws AppError invalid_argument */
export function canonicalLabels(given: readonly string[]): string[] {
  try {
    return sortedLabels(given);
  } catch (error) {
    throw refusal([{ field: 'runs_on', message: (error as Error).message }]);
  }
}
