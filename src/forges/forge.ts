import type { ForgeKind } from '../config/forges-file.js';

/** The interface to the servers that keep pull requests. It knows no records, and every answer is checked. */
export const pullRequestStates = ['open', 'queued', 'merged', 'closed'] as const;
export type PullRequestState = (typeof pullRequestStates)[number];
export const checkStates = ['none', 'pending', 'passing', 'failing', 'unknown'] as const;
export type CheckState = (typeof checkStates)[number];
export const reviewStates = ['none', 'approved', 'changes_requested', 'unknown'] as const;
export type ReviewState = (typeof reviewStates)[number];
export const mergeabilities = ['unknown', 'clean', 'conflicting', 'blocked', 'behind'] as const;
export type Mergeability = (typeof mergeabilities)[number];
export const pullRequestMethods = ['squash', 'merge', 'rebase'] as const;
export type PullRequestMethod = (typeof pullRequestMethods)[number];

interface ForgeCapabilities {
  merge_methods: readonly PullRequestMethod[];
  has_queue: boolean;
  resolves_comments: boolean;
}

/** A pull request, whatever the forge calls it. */
export interface PullRequest {
  number: number;
  url: string;
  title: string;
  state: PullRequestState;
  draft: boolean;
  head_branch: string;
  head_commit: string;
  /** Path of the repository that holds the head; null where the forge does not tell. */
  head_repository: string | null;
  base_branch: string;
  mergeability: Mergeability;
  /** Commit that the merge left on the base; null before. */
  merge_commit: string | null;
  merged_by: string | null;
}

export interface Check {
  name: string;
  state: Exclude<CheckState, 'none'>;
  url: string | null;
}

/** Checks of all sources. If one is missing, the report is incomplete and never passing. */
export interface CheckReport {
  state: CheckState;
  complete: boolean;
  checks: Check[];
}

export interface Review {
  author: string;
  state: 'approved' | 'changes_requested' | 'commented';
  body: string;
}

export interface ReviewReport {
  state: ReviewState;
  reviews: Review[];
}

/** Text of others, to be quoted and never obeyed. */
export interface PullRequestComment {
  forge_id: string;
  /** Thread to resolve; null if the forge cannot resolve it. */
  thread_id: string | null;
  author: string;
  /** The author may write to the repository, or belongs to those who own it. */
  trusted: boolean;
  path: string | null;
  line: number | null;
  hunk: string | null;
  body: string;
  url: string | null;
  resolved: boolean;
  outdated: boolean;
  created_at: Date;
}

export interface NewPullRequest {
  title: string;
  body: string;
  draft: boolean;
  head_branch: string;
  base_branch: string;
}
export type PullRequestChange = Partial<Pick<NewPullRequest, 'title' | 'body' | 'draft' | 'base_branch'>>;

export type Creation =
  { outcome: 'created'; pull_request: PullRequest } | { outcome: 'exists' | 'nothing_to_deliver' | 'no_base' };

export interface MergeRequest {
  method: PullRequestMethod;
  /** The forge refuses if the head is another one. */
  expected_head: string;
  /** Puts it into the merge queue of the forge. */
  queue: boolean;
}
export type MergeOutcome =
  { outcome: 'merged' | 'queued' | 'head_moved' | 'no_queue' } | { outcome: 'refused'; reason: string };

/** As the forge describes it now. */
export type DescribedPullRequest = PullRequest & Pick<NewPullRequest, 'body'>;

/** What is said of a commit under one name; the last word counts. */
export interface CommitStatus {
  context: string;
  state: 'pending' | 'passed' | 'failed' | 'errored';
  /** A line. */
  description: string;
}

/** @param repository path of the repository on the forge, such as `owner/name`.
 *  Each verb throws AppError forge_failed, forge_rate_limited, forge_auth_failed; those that take a number
 *  pull_request_not_found. */
export interface Forge {
  readonly host: string;
  readonly kind: ForgeKind;
  readonly capabilities: ForgeCapabilities;
  /** Open ones from a branch of the repository itself, newest first. */
  find(repository: string, query: Pick<NewPullRequest, 'head_branch' | 'base_branch'>): Promise<PullRequest[]>;
  /** Repeat it only after `find`: a failed call may have succeeded on the forge. */
  create(repository: string, request: NewPullRequest): Promise<Creation>;
  /** @param wasQueued asks also whether it still waits in the queue */
  read(repository: string, number: number, wasQueued: boolean): Promise<DescribedPullRequest>;
  update(repository: string, number: number, change: PullRequestChange): Promise<PullRequest>;
  checks(repository: string, pullRequest: PullRequest): Promise<CheckReport>;
  reviews(repository: string, pullRequest: PullRequest): Promise<ReviewReport>;
  /** All of them, in the order they were written. */
  comments(repository: string, pullRequest: PullRequest): Promise<PullRequestComment[]>;
  /** Resolves a thread, after posting the reply, if any. */
  resolve(
    repository: string,
    number: number,
    thread: { thread_id: string; forge_id: string; reply: string | null },
  ): Promise<void>;
  merge(repository: string, number: number, request: MergeRequest): Promise<MergeOutcome>;
  close(repository: string, number: number): Promise<void>;
  /** A commit that the forge does not have is left alone. */
  setStatus(repository: string, commit: string, status: CommitStatus): Promise<void>;
}

/** Whether its head is in the repository itself, not in a fork, as far as the forge tells. */
export const isOwnHead = ({ head_repository }: PullRequest, repository: string): boolean =>
  head_repository === null || head_repository.toLowerCase() === repository.toLowerCase();

/** Failure outweighs unknown, which outweighs success. */
export function checkReport(checks: Check[], complete: boolean): CheckReport {
  const states = checks.map(({ state }) => state);
  if (states.includes('failing')) return { state: 'failing', complete, checks };
  if (!complete || states.includes('unknown')) return { state: 'unknown', complete, checks };
  if (states.includes('pending')) return { state: 'pending', complete, checks };
  return { state: states.length === 0 ? 'none' : 'passing', complete, checks };
}

/** The last word of each reviewer counts. @param reviews oldest first */
export function reviewReport(reviews: Review[]): ReviewReport {
  const decisions = new Map(reviews.flatMap((one) => (one.state === 'commented' ? [] : [[one.author, one.state]])));
  const words = [...decisions.values()];
  const state = words.includes('changes_requested')
    ? 'changes_requested'
    : words.includes('approved')
      ? 'approved'
      : 'none';
  return { state, reviews };
}
