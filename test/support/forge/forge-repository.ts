import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { GitRepository } from '../git-repository.js';
import { type Answer, ok, refuse } from './forge-call.js';
import type { TestIssue } from './github-issue-words.js';

export interface TestComment {
  id: number;
  author: string;
  body: string;
  created_at: string;
  /** Set for a comment on a line. */
  path: string | null;
  line: number | null;
  /** The thread it belongs to. */
  thread: string;
  resolved: boolean;
  /** Head of the pull request when it was written. */
  commit: string;
}
export interface TestReview {
  id: number;
  author: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  body: string;
}
export interface TestCheck {
  name: string;
  source: 'run' | 'status';
  state: 'success' | 'failure' | 'pending';
}
export interface TestPull {
  number: number;
  title: string;
  body: string;
  draft: boolean;
  head: string;
  base: string;
  state: 'open' | 'closed' | 'merged';
  queued: boolean;
  head_commit: string;
  merge_commit: string | null;
  merged_by: string | null;
  created_at: string;
  updated_at: string;
  comments: TestComment[];
  reviews: TestReview[];
}
export type MergeAnswer = 'merged' | 'queued' | 'not_open' | 'draft' | 'head_moved' | 'conflict';

/** A bare repository of a forge, with its pull requests. What it says of branches and merges, git says. */
export class ForgeRepository {
  readonly git: GitRepository;
  readonly pulls: TestPull[] = [];
  readonly issues: TestIssue[] = [];
  readonly checks = new Map<string, TestCheck[]>();
  readonly members = new Set<string>();
  hasQueue = false;
  /** How often it answers that it does not know yet whether it can merge. */
  slowMergeable = 0;
  private lastId = 1000;

  /** @param full_name such as `team/web` */
  constructor(
    folder: string,
    readonly full_name: string,
  ) {
    const dir = path.join(folder, `${full_name}.git`);
    mkdirSync(dir, { recursive: true });
    this.git = new GitRepository(dir);
    this.git.git('init', '--quiet', '--bare', '--initial-branch=main');
    this.git.git('config', 'http.receivepack', 'true');
  }

  tip(branch: string): string | null {
    try {
      return this.git.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return null;
    }
  }

  find(number: number): TestPull | undefined {
    const pull = this.pulls.find((one) => one.number === number);
    if (pull?.state === 'open') pull.head_commit = this.tip(pull.head) ?? pull.head_commit;
    return pull;
  }

  ahead(base: string, head: string): number {
    return Number(this.git.git('rev-list', '--count', `refs/heads/${base}..refs/heads/${head}`));
  }

  open(request: Pick<TestPull, 'title' | 'body' | 'draft' | 'head' | 'base'>): TestPull {
    const now = new Date().toISOString();
    const pull: TestPull = {
      ...request,
      number: this.pulls.length + 1,
      state: 'open',
      queued: false,
      head_commit: this.tip(request.head)!,
      merge_commit: null,
      merged_by: null,
      created_at: now,
      updated_at: now,
      comments: [],
      reviews: [],
    };
    this.pulls.push(pull);
    return pull;
  }

  /** Null while it does not know. */
  mergeable(pull: TestPull): boolean | null {
    if (this.slowMergeable > 0) {
      this.slowMergeable -= 1;
      return null;
    }
    return pull.state === 'open' ? this.mergedTree(pull) !== null : null;
  }

  merge(pull: TestPull, method: string, head: string | undefined, by: string): MergeAnswer {
    const current = this.find(pull.number)!;
    if (current.state !== 'open') return 'not_open';
    if (current.draft) return 'draft';
    if (head !== undefined && head !== current.head_commit) return 'head_moved';
    const tree = this.mergedTree(current);
    if (tree === null) return 'conflict';
    this.land(current, tree, method);
    Object.assign(current, { state: 'merged', queued: false, merged_by: by, updated_at: new Date().toISOString() });
    return 'merged';
  }

  comment(pull: TestPull, comment: Partial<TestComment> & Pick<TestComment, 'author' | 'body'>): TestComment {
    this.lastId += 1;
    const made: TestComment = {
      id: this.lastId,
      created_at: new Date(Date.now() + this.lastId).toISOString(),
      path: null,
      line: null,
      thread: `T_${this.lastId}`,
      resolved: false,
      commit: this.find(pull.number)!.head_commit,
      ...comment,
    };
    pull.comments.push(made);
    return made;
  }

  review(pull: TestPull, author: string, state: TestReview['state'], body = ''): void {
    this.lastId += 1;
    pull.reviews.push({ id: this.lastId, author, state, body });
  }

  check(commit: string, ...checks: TestCheck[]): void {
    this.checks.set(commit, checks);
  }

  /** The last word of a name counts. */
  setStatus(sha: string, name: string, said: string): Answer {
    if (!this.has(sha)) return refuse(422, `No commit found for SHA: ${sha}`);
    const state = said === 'success' ? 'success' : said === 'pending' ? 'pending' : 'failure';
    const others = (this.checks.get(sha) ?? []).filter((one) => one.name !== name);
    this.checks.set(sha, [...others, { name, source: 'status', state }]);
    return ok({ context: name, state }, 201);
  }

  private has(sha: string): boolean {
    try {
      return this.git.git('cat-file', '-t', sha) === 'commit';
    } catch {
      return false;
    }
  }

  private mergedTree({ base, head_commit }: TestPull): string | null {
    try {
      return this.git.git('merge-tree', '--write-tree', `refs/heads/${base}`, head_commit).split('\n')[0]!;
    } catch {
      return null;
    }
  }

  private land(pull: TestPull, tree: string, method: string): void {
    const base = this.tip(pull.base)!;
    const parents = method === 'merge' ? ['-p', base, '-p', pull.head_commit] : ['-p', base];
    const commit = this.git.git('commit-tree', tree, ...parents, '-m', `${pull.title} (#${pull.number})`);
    this.git.git('update-ref', `refs/heads/${pull.base}`, commit, base);
    pull.merge_commit = commit;
  }
}
