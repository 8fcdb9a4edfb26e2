import { toAppError } from '../../platform/errors/to-app-error.js';
import type { ForgeClient } from '../forge-client.js';
import { linkOrNull, listOf, objectOf, textOf } from '../forge-json.js';
import { type Check, checkReport, type CheckReport } from '../forge.js';

const CONCLUSIONS: Readonly<Record<string, Check['state']>> = {
  success: 'passing',
  neutral: 'passing',
  skipped: 'passing',
  failure: 'failing',
  timed_out: 'failing',
  cancelled: 'failing',
  action_required: 'failing',
  startup_failure: 'failing',
};
const STATES: Readonly<Record<string, Check['state']>> = {
  success: 'passing',
  failure: 'failing',
  error: 'failing',
  pending: 'pending',
};

/** Of both sources: many programs report to only one of them. */
export async function githubChecks(client: ForgeClient, repositoryPath: string, commit: string): Promise<CheckReport> {
  const path = `${repositoryPath}/commits/${commit}`;
  const [runs, statuses] = await Promise.all([
    unlessForbidden(client.all(`${path}/check-runs?per_page=100`, (body) => objectOf(body).check_runs)),
    unlessForbidden(client.all(`${path}/status?per_page=100`, (body) => objectOf(body).statuses)),
  ]);
  const checks = [
    ...listOf(runs).map((run): Check => ({
      name: textOf(run.name, 200),
      state: run.status === 'completed' ? (CONCLUSIONS[textOf(run.conclusion)] ?? 'unknown') : 'pending',
      url: linkOrNull(run.html_url),
    })),
    ...listOf(statuses).map((status): Check => ({
      name: textOf(status.context, 200),
      state: STATES[textOf(status.state)] ?? 'unknown',
      url: linkOrNull(status.target_url),
    })),
  ];
  return checkReport(checks, runs !== null && statuses !== null);
}

/** @returns null where the token may not see that source */
async function unlessForbidden(source: Promise<unknown[]>): Promise<unknown[] | null> {
  try {
    return await source;
  } catch (error) {
    const code = toAppError(error)?.code;
    if (code === 'forge_auth_failed' || code === 'pull_request_not_found') return null;
    throw error;
  }
}
