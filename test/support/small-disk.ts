import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A disk of its own that can be filled. */
export class SmallDisk {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'taskyard-disk-'));

  constructor(sizeBytes: number) {
    if (!mount(this.dir, sizeBytes)) throw new Error('a small disk cannot be mounted here');
  }

  remove(): void {
    spawnSync('umount', [this.dir]);
    rmSync(this.dir, { recursive: true });
  }

  /** Whether this machine lets the tests mount; where not, the tests that need it are skipped by name. */
  static readonly isPossible = ((): boolean => {
    const dir = mkdtempSync(path.join(tmpdir(), 'taskyard-disk-'));
    const isMounted = mount(dir, 1024 * 1024);
    if (isMounted) spawnSync('umount', [dir]);
    rmSync(dir, { recursive: true });
    return isMounted;
  })();
}

function mount(dir: string, sizeBytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', dir]).status === 0;
}
