import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const settings = Object.entries({
  'user.name': 'User',
  'user.email': 'user@example.com',
  'protocol.file.allow': 'always',
  'maintenance.auto': 'false', // it costs a commit three processes
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

const CONFIGURATION =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';

/** A folder of its own for one test, removed by `remove`. */
export class GitSandbox {
  constructor(readonly dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'taskyard-git-')))) {}

  /** A repository with one commit on `main` that holds `files`. */
  repository(name: string, files: Record<string, string | Buffer> = { 'readme.md': '# hello\n' }): GitRepository {
    const repository = new GitRepository(path.join(this.dir, name));
    repository.init();
    repository.write(files);
    repository.commit('first');
    return repository;
  }

  path(...parts: string[]): string {
    return path.join(this.dir, ...parts);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A real repository, driven by the git program as its user would. */
export class GitRepository {
  constructor(readonly dir: string) {}

  /** As `git init` does it, without a process. */
  init(): void {
    for (const folder of ['hooks', 'info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
      mkdirSync(path.join(this.dir, '.git', folder), { recursive: true });
    writeFileSync(path.join(this.dir, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(path.join(this.dir, '.git/config'), CONFIGURATION);
  }

  /** Standard output without the last line end. */
  git(...args: string[]): string {
    return this.gitWith('', ...args);
  }

  gitWith(input: string | Buffer, ...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
    return execFileSync('git', [...settings, ...args], {
      cwd: this.dir,
      env,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    }).replace(/\n$/, '');
  }

  write(files: Record<string, string | Buffer>): void {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.dir, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }

  /** Commits everything. @returns its id */
  commit(message: string): string {
    this.git('add', '--all');
    const said = this.git('-c', 'core.abbrev=no', 'commit', '--allow-empty', '--message', message);
    return /^\[.*? ([0-9a-f]{40,})\]/.exec(said)![1]!;
  }

  get head(): string {
    return this.git('rev-parse', 'HEAD');
  }

  branches(): string[] {
    return this.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads').split('\n').filter(Boolean);
  }

  worktrees(): string[] {
    return this.git('worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree '))
      .map((line) => line.slice(9));
  }

  /** What must not change when others work on the repository: HEAD, its branch, the status and the index file. */
  checkout(): { head: string; branch: string; status: string; indexAt: number } {
    const indexAt = statSync(path.join(this.dir, '.git', 'index')).mtimeMs;
    const status = this.git('--no-optional-locks', 'status', '--porcelain', '--untracked-files=all');
    return { head: this.head, branch: this.git('branch', '--show-current'), status, indexAt };
  }

  /** A commit of `count` small files in 200 folders on `main`, without a checkout of them; quick through
   *  fast-import. */
  importFiles(count: number, bytesEach: number): void {
    const parts = ['commit refs/heads/main\ncommitter U <u@example.com> 1700000000 +0000\ndata 4\nmany\n'];
    for (let at = 0; at < count; at += 1) {
      const content = `${randomUUID()}\n`.repeat(Math.ceil(bytesEach / 37));
      parts.push(`M 100644 inline d${at % 200}/f${at}.txt\ndata ${content.length}\n${content}\n`);
    }
    this.gitWith(parts.join(''), 'fast-import', '--quiet', '--force');
  }
}
