import type { CheckState } from '../tasks/checks-state.dto.js';
import type { CheckResult } from './check.entity.js';

type Told = Pick<CheckResult, 'state' | 'required'>;

/** The first that one of them has decides. */
const inOrder: readonly CheckState[] = ['running', 'pending', 'stale', 'failed', 'errored', 'passed', 'skipped'];

/** Of checks together: as long as any is under way, that; then those that are required decide. Null without any. */
export function stateOfChecks(results: readonly Told[]): CheckState | null {
  const isUnderWay = results.some(({ state }) => state === 'running' || state === 'pending');
  const required = results.filter((result) => isUnderWay || result.required);
  if (results.length > 0 && required.length === 0) return 'passed';
  return inOrder.find((state) => required.some((result) => result.state === state)) ?? null;
}

/** Whether there are results that hold. */
export const isChecked = (state: CheckState | null): boolean =>
  state !== null && ['passed', 'failed', 'errored', 'skipped'].includes(state);

/** Whether it has come to an end. */
export const isSettled = ({ state }: Pick<CheckResult, 'state'>): boolean => state !== 'pending' && state !== 'running';
