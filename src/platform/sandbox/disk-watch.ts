import { lstat, opendir, statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 1_000;
/** Looking takes at most this part of the time: regularly, and where the disk fills. */
const [REGULAR, PRESSING] = [20, 3];
const LONGEST_PAUSE_MS = 60_000;
/** What a file takes beside its content. */
const INODE = 512;
/** Files come and go while we look. */
const GONE = ['ENOENT', 'ENOTDIR'];

/** Watches what folders hold together. Their files are counted now and then, and at once when their file system has
 *  filled by what was left: that costs a call a second. */
export class DiskWatch {
  private readonly over = new AbortController();

  /** @param exceeded called once, where they hold more than `max` bytes */
  constructor(
    private readonly folders: readonly string[],
    private readonly max: number,
    private readonly exceeded: () => void,
  ) {
    void this.watch();
  }

  stop(): void {
    this.over.abort();
  }

  private async watch(): Promise<void> {
    const before = await this.used();
    let [due, pressing, full] = [0, 0, 0];
    for (; !this.over.signal.aborted; await this.rest()) {
      const [now, used] = [performance.now(), await this.used()];
      if (now < pressing || (now < due && used < full)) continue;
      const { bytes, isWhole } = await this.count();
      // what hides from us is told by what the disk lost meanwhile
      const held = isWhole ? bytes : Math.max(bytes, used - before);
      if (held > this.max && !this.over.signal.aborted) return this.exceeded();
      const cost = performance.now() - now;
      [pressing, due] = [PRESSING, REGULAR].map((share) => now + Math.min(cost * share, LONGEST_PAUSE_MS)) as [
        number,
        number,
      ];
      full = used + this.max - held;
    }
  }

  private async rest(): Promise<void> {
    await pause(LOOK_MS, undefined, { signal: this.over.signal, ref: false }).catch(() => undefined);
  }

  /** Bytes of the file system they lie on. */
  private async used(): Promise<number> {
    const [first = '/'] = this.folders;
    const found = await statfs(first).catch(() => null);
    return found === null ? 0 : (found.blocks - found.bfree) * found.bsize;
  }

  private async count(): Promise<{ bytes: number; isWhole: boolean }> {
    const pending = [...this.folders];
    let [bytes, isWhole] = [0, true];
    const missed = ({ code = '' }: NodeJS.ErrnoException): null => {
      isWhole &&= GONE.includes(code);
      return null;
    };
    for (let folder; (folder = pending.pop()) !== undefined && !this.over.signal.aborted;)
      for await (const { name } of (await opendir(folder, { bufferSize: 256 }).catch(missed)) ?? []) {
        const place = `${folder}/${name}`;
        const stat = await lstat(place).catch(missed);
        if (stat === null) continue;
        bytes += (stat.blocks * 512) / (stat.isDirectory() ? 1 : stat.nlink) + INODE;
        if (stat.isDirectory()) pending.push(place);
      }
    return { bytes, isWhole };
  }
}
