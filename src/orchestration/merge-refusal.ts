import type { PullRequestRow } from '../deliveries/pull-request.entity.js';

type Seen = Pick<PullRequestRow, 'state' | 'draft' | 'mergeability' | 'checks' | 'checks_complete' | 'review'>;

/** What speaks against a merge, in words; null where nothing does. What is not known speaks against it. A queue waits
 *  for rules and brings the branch up to date by itself. */
export function mergeRefusal(seen: Seen, action: 'merge' | 'queue'): string | null {
  const { state, draft, mergeability, review } = seen;
  if (state === 'closed') return 'it is closed';
  if (draft) return 'it is a draft';
  if (mergeability === 'conflicting') return 'it conflicts with its target';
  if (mergeability === 'unknown') return 'the forge does not know yet whether it merges; try again in a moment';
  const refused = refusalOfChecks(seen);
  if (refused !== null) return refused;
  if (review === 'changes_requested') return 'a reviewer asks for changes';
  if (action === 'queue') return null;
  if (mergeability === 'behind')
    return 'its branch is behind the target, and the repository asks for it to be up to date';
  return mergeability === 'blocked' ? 'a rule of the repository blocks it' : null;
}

function refusalOfChecks({ checks, checks_complete }: Seen): string | null {
  if (checks === 'failing') return 'its checks are failing';
  if (checks === 'pending') return 'its checks are still running';
  return checks === 'unknown' || !checks_complete ? 'its checks are not known' : null;
}
