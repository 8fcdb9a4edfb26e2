import type { Delivery, PullRequest } from '../types.js';

export const STATES: Record<Delivery['state'], string> = {
  none: 'Nothing to deliver yet',
  running: 'The agent is at work',
  failed: 'The last run failed',
  ready: 'Ready to merge',
  conflicted: 'Conflicts with the target',
  updating: 'Update in progress',
  pushed: 'Pushed',
  pr_open: 'Pull request open',
  pr_queued: 'Waiting in the merge queue',
  pr_merged: 'Pull request merged',
  pr_closed: 'Pull request closed',
  merged: 'Merged',
  partly_delivered: 'Partly delivered',
};

export const CHECKS: Record<PullRequest['checks'], string> = {
  none: 'no checks',
  pending: 'checks run',
  passing: 'checks pass',
  failing: 'checks fail',
  unknown: 'checks not known',
};

export const REVIEWS: Record<PullRequest['review'], string> = {
  none: 'not reviewed',
  approved: 'approved',
  changes_requested: 'changes requested',
  unknown: 'reviews not known',
};

export const MERGEABILITY: Record<PullRequest['mergeability'], string> = {
  clean: 'merges cleanly',
  conflicting: 'has conflicts',
  blocked: 'blocked by rules',
  behind: 'behind its target',
  unknown: 'mergeability not known',
};
