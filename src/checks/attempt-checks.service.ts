import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { localOwner } from '../platform/access/principal.js';
import type { CheckState } from '../tasks/checks-state.dto.js';
import { type CheckResult, type CheckRun, type RepoChecks } from './check.entity.js';
import { newResult } from './check-result.js';
import { CheckRunsRepository } from './check-runs.repository.js';
import { isSettled, stateOfChecks } from './check-states.js';
import { RepoChecksRepository } from './repo-checks.repository.js';

/** Where a repository of an attempt is now. */
export interface WorkNow {
  repo_id: string;
  head: string;
  target: string | null;
  /** Work that no commit holds. */
  uncommitted: boolean;
}

/** How the checks of an attempt stand. */
export interface AttemptChecks {
  /** Null where nothing is checked. */
  state: CheckState | null;
  run: CheckRun | null;
  results: CheckResult[];
}

const NOTHING: AttemptChecks = { state: null, run: null, results: [] };

/** How the checks of attempts stand, by the newest run of each. */
@Injectable()
export class AttemptChecksService {
  constructor(
    private readonly projectRows: ProjectsRepository,
    private readonly checkRows: RepoChecksRepository,
    private readonly runRows: CheckRunsRepository,
  ) {}

  /** @param now where its work is; what is not told counts as it was */
  async of(
    { id, project_id }: Pick<Attempt, 'id' | 'project_id'>,
    now: readonly WorkNow[] = [],
  ): Promise<AttemptChecks> {
    const [{ checks }, definitions, run] = await Promise.all([
      this.projectRows.get(localOwner, project_id),
      this.checkRows.listOfAttempt(id),
      this.runRows.findLatest(id),
    ]);
    if (checks === 'off' || (definitions.length === 0 && run === null)) return NOTHING;
    if (run === null) return { state: 'pending', run, results: pendingOf(id, definitions) };
    const stored = await this.runRows.listResults(run.id);
    const results = run.ended_at === null ? stored : stored.map((result) => bound(result, definitions, now));
    const missing = run.ended_at === null ? [] : pendingOf(id, definitions).filter((one) => !isAmong(results, one));
    return { state: stateOfChecks([...results, ...missing.map(asStale)]), run, results: [...results, ...missing] };
  }
}

/** A result counts for the head, the target and the version that it was made with. */
function bound(result: CheckResult, definitions: readonly RepoChecks[], now: readonly WorkNow[]): CheckResult {
  if (!isSettled(result) || result.head === null) return result;
  const version = definitions.find(({ repo_id }) => repo_id === result.repo_id)?.version;
  const work = now.find(({ repo_id }) => repo_id === result.repo_id);
  const reason = version === result.version ? work && movedSince(result, work) : 'the checks have changed since';
  return reason ? { ...result, state: 'stale', reason: `${reason}: run the checks again` } : result;
}

function movedSince(result: CheckResult, { head, target, uncommitted }: WorkNow): string | undefined {
  if (head !== result.head || uncommitted) return 'the branch has changed since';
  return target === result.target ? undefined : 'the target branch has moved since';
}

const pendingOf = (attempt_id: string, definitions: readonly RepoChecks[]): CheckResult[] =>
  definitions
    .flatMap(({ repo_id, version, checks }) => checks.map((definition) => ({ repo_id, version, definition })))
    .map((check, position) => newResult({ run_id: '', attempt_id, position, ...check }));

const isAmong = (results: readonly CheckResult[], { repo_id, name }: CheckResult): boolean =>
  results.some((other) => other.repo_id === repo_id && other.name === name);

const asStale = (result: CheckResult): CheckResult => ({ ...result, state: 'stale' });
