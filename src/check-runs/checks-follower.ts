import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isChecked } from '../checks/check-states.js';
import { RepoChecksRepository } from '../checks/repo-checks.repository.js';
import { asActor, localOwner } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type EndedTurn, type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';
import { CheckRunsService } from './check-runs.service.js';

/** Checks what a turn has changed, in the name of whoever started that. It asks first: what others do about the end of
 *  a turn may depend on its checks. */
@Injectable()
export class ChecksFollower implements TurnFollower, OnModuleInit {
  constructor(
    private readonly followers: TurnFollowers,
    private readonly projectRows: ProjectsRepository,
    private readonly checkRows: RepoChecksRepository,
    private readonly runs: CheckRunsService,
  ) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async ended(tx: Transaction, { attempt, execution, ending }: EndedTurn): Promise<boolean> {
    if (['check', 'review'].includes(execution.run_reason) || ending !== 'completed') return false;
    const { checks, check_on } = await this.projectRows.get(localOwner, attempt.project_id);
    if (checks === 'off' || check_on !== 'turn_end' || !hasChanged(attempt)) return false;
    if ((await this.checkRows.listOfAttempt(attempt.id)).length === 0) return false;
    const system = { ...asActor('@taskyard', 'system'), chargedTo: execution.started_by };
    await this.runs.begin(tx, attempt, 'turn_end', system);
    return true;
  }
}

/** Its runner has looked whether the results of before still hold, and counted the changes. */
const hasChanged = ({ checks_state, files_changed }: EndedTurn['attempt']): boolean =>
  checks_state === null ? files_changed !== 0 : !isChecked(checks_state);
