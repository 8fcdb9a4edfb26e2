import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { GitError } from '../git/git-error.js';
import type { Git, GitRunner } from '../git/git.js';
import { exists } from '../git/if-there.js';
import { remoteFailure, type RemoteLink } from '../git/remote-link.js';
import type { InsideGit } from './inside-git.js';
import { LARGE_FILE } from './inside-scripts.js';
import type { TreePlace } from './trees.js';

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\n/;
/** Git LFS itself takes nothing longer for a pointer. */
const MAX_POINTER_BYTES = 1_024;
const TIMEOUT_MS = 15 * 60_000;

/** Files of Git LFS, which lie beside the objects of git. */
export class LargeFiles {
  constructor(
    private readonly git: Git,
    private readonly inside: InsideGit,
  ) {}

  /** Uploads those of a commit. Call it before the push: LFS's own hook is off, and pointers without files would be
   *  useless on the other side.
   *  @param since commit from which on files may be new there. @throws AppError as a push; GitError */
  async upload(tree: TreePlace, link: RemoteLink, commit: string, since: string): Promise<void> {
    const ids = await this.idsIn(tree.store, since, commit);
    if (ids.length === 0) return;
    for (const id of ids) await this.bring(tree, id);
    const url = path.isAbsolute(link.url) ? pathToFileURL(link.url).href : link.url;
    try {
      await this.git.run(tree.store, ['lfs', 'push', '--object-id', url, ...ids], link.options);
    } catch (error) {
      throw remoteFailure(error, link);
    }
  }

  /** Ids of the files that pointers name between two commits. */
  private async idsIn(store: string, since: string, commit: string): Promise<string[]> {
    const listed = await this.git.text(store, ['rev-list', '--objects', '--no-object-names', commit, `^${since}`]);
    const check = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
    const rows = (await this.git.text(store, check, { input: `${listed}\n` })).split('\n').map((row) => row.split(' '));
    const small = rows.filter(([, type, bytes]) => type === 'blob' && Number(bytes) <= MAX_POINTER_BYTES);
    const ids: string[] = [];
    const input = small.map(([id]) => `${id}\n`).join('');
    const { stdout } = await this.git.run(store, ['cat-file', '--batch'], { input });
    for (let at = 0; at < stdout.length;) {
      const end = stdout.indexOf('\n', at);
      const bytes = Number(stdout.toString('latin1', at, end).split(' ')[2]);
      const id = POINTER.exec(stdout.toString('latin1', end + 1, end + 1 + bytes))?.[1];
      if (id !== undefined) ids.push(id);
      at = end + bytes + 2;
    }
    return [...new Set(ids)];
  }

  /** Out of the walls into the store, if it is what its name says. */
  private async bring(tree: TreePlace, id: string): Promise<void> {
    const file = path.join(tree.store, 'lfs/objects', id.slice(0, 2), id.slice(2, 4), id);
    if (await exists(file)) return;
    await mkdir(path.dirname(file), { recursive: true });
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const part = `${file}.part`;
    try {
      const written = finished(hashing.pipe(createWriteStream(part)));
      const variables = { LENDER: path.join(tree.common, 'lfs/objects') };
      const options = { timeoutMs: TIMEOUT_MS };
      await this.inside.run(tree, {
        target: 'copy',
        script: LARGE_FILE,
        args: [id],
        variables,
        options,
        sink: hashing,
      });
      await written;
      if (hash.digest('hex') !== id) throw missing(id);
      await rename(part, file);
    } finally {
      await rm(part, { force: true });
    }
  }
}

const missing = (id: string): GitError =>
  new GitError({ command: 'lfs', exitCode: null, stderr: `fatal: the large file ${id} is missing`, cause: null });

/** The files that Git LFS tracks, by the attributes in the worktree.
 *  @param names ended by NUL @returns byte strings. @throws GitError */
export async function largeFilesOf(git: GitRunner, dir: string, names: Buffer): Promise<string[]> {
  if (names.length === 0) return [];
  const { stdout } = await git.run(dir, ['check-attr', '-z', '--stdin', 'filter'], { input: names });
  const fields = stdout.toString('latin1').split('\0');
  return fields.filter((_, at) => at % 3 === 0 && fields[at + 2] === 'lfs');
}
