import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ChangeHub } from '../platform/database/change-hub.js';
import type { LogEntry, NormalizedEntry } from '../executors/log-entry.js';
import { LogWriter } from './log-writer.js';
import type { Appended, Batch, LogRepository, Writer } from './log.repository.js';

const away = (): Error => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** Stands in for the log table: stores immediately, unless the test scripts its next answer. */
class Shelf {
  readonly stored: Batch[] = [];
  /** What the next appends do; the rest store. */
  next: (() => Promise<'store' | 'lose the answer' | 'refuse'>)[] = [];
  stop = { stop: false, force: false };

  async append(_: Writer, batch: Batch): Promise<Appended | null> {
    const what = (await this.next.shift()?.()) ?? 'store';
    if (what === 'refuse') return null;
    this.stored.push(batch);
    if (what === 'lose the answer') throw away();
    return { ...this.stop, last_index: this.count(batch.channel) - 1 };
  }

  findLastIndex(_: Writer, channel: Batch['channel']): Promise<number> {
    return Promise.resolve(this.count(channel) - 1);
  }

  contents(channel: Batch['channel']): string[] {
    return this.entries(channel).map(({ content }) => content);
  }

  entries(channel: Batch['channel']): LogEntry[] {
    return this.stored.filter((batch) => batch.channel === channel).flatMap((batch) => batch.entries);
  }

  dropped(channel: Batch['channel']): number {
    return this.stored.filter((batch) => batch.channel === channel).reduce((sum, batch) => sum + batch.dropped, 0);
  }

  private count(channel: Batch['channel']): number {
    return this.entries(channel).length;
  }
}

describe('the writer of a log', () => {
  let shelf: Shelf;
  let held: NormalizedEntry[];
  let unfinished: NormalizedEntry[];
  let heard: string[];
  let writer: LogWriter;

  const open = (maxBytes = 10_000_000): LogWriter =>
    new LogWriter(
      { attempt_id: 'a', execution_id: 'e', job_id: 'j' },
      shelf as unknown as LogRepository,
      { changed: () => heard.push('changed') } as unknown as ChangeHub,
      maxBytes,
      {
        drain: (goesOn) => [...held.splice(0), ...(goesOn ? [] : unfinished.splice(0))],
        onStop: (force) => heard.push(force ? 'force' : 'stop'),
        onLost: () => heard.push('lost'),
      },
    );
  const say = (text: string): void => writer.raw({ type: 'stdout', content: text });
  const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);

  beforeEach(() => {
    shelf = new Shelf();
    held = [];
    unfinished = [];
    heard = [];
    writer = open();
  });
  afterEach(() => writer.abandon());

  it('keeps every line in its order, in chunks of at most 1 000', async () => {
    for (const line of lines(25_000)) {
      say(line);
      await writer.untilRoom();
    }
    await writer.close();
    expect(shelf.contents('raw')).toEqual(lines(25_000));
    expect(Math.max(...shelf.stored.map((batch) => batch.entries.length))).toBeLessThanOrEqual(1_000);
    expect(heard).toContain('changed');
  });

  it('keeps chunks near 64 KB, counted in bytes', async () => {
    for (let at = 0; at < 100; at += 1) say('é'.repeat(10_000));
    await writer.close();
    const sizes = shelf.stored.map((batch) =>
      batch.entries.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
    expect(shelf.contents('raw')).toHaveLength(100);
  });

  it('writes by itself after a moment, with what was held back to join lines', async () => {
    held.push({ type: 'assistant_message', content: 'joined' });
    say('alone');
    while (shelf.stored.length < 2) await delay(5);
    expect([shelf.contents('raw'), shelf.contents('normalized')]).toEqual([['alone'], ['joined']]);
  });

  it('writes what goes on yet once nothing has come for a while', async () => {
    unfinished.push({ type: 'assistant_message', content: 'so far' });
    say('alone');
    while (shelf.stored.length < 1) await delay(5);
    expect(shelf.contents('normalized')).toEqual([]);
    while (shelf.stored.length < 2) await delay(5);
    expect(shelf.contents('normalized')).toEqual(['so far']);
  });

  it('keeps both channels apart and in order while it is busy', async () => {
    for (let at = 0; at < 300; at += 1) {
      writer.raw({ type: 'stderr', content: `raw ${at}` });
      writer.normalized([
        { type: 'assistant_message', content: `said ${at}` },
        { type: 'tool_use', content: `done ${at}` },
      ]);
      if (at % 50 === 0) await delay(1);
    }
    await writer.close();
    expect(shelf.contents('raw')).toEqual(Array.from({ length: 300 }, (_, at) => `raw ${at}`));
    expect(shelf.contents('normalized')).toEqual(
      Array.from({ length: 300 }, (_, at) => [`said ${at}`, `done ${at}`]).flat(),
    );
  });

  it('holds the source back while more than 1 MB waits, and no longer than that', async () => {
    let release: () => void = () => undefined;
    shelf.next.push(
      () =>
        new Promise((resolve) => {
          release = () => resolve('store');
        }),
    );
    const big = 'x'.repeat(100_000);
    for (let at = 0; at < 11; at += 1) say(big); // one is being written, ten wait
    await writer.untilRoom();
    say(big);
    const room = writer.untilRoom().then(() => heard.push('room'));
    await turn();
    expect(heard).not.toContain('room');
    release();
    await room;
    await writer.close();
    expect(shelf.contents('raw')).toHaveLength(12);
  });

  it('repeats while the database is away, and stores nothing twice where only the answer was lost', async () => {
    shelf.next.push(
      () => Promise.reject(away()),
      () => Promise.resolve('lose the answer'),
      () => Promise.reject(away()),
    );
    say('one');
    await delay(60);
    say('two');
    await writer.close();
    expect(shelf.contents('raw')).toEqual(['one', 'two']);
  });

  it("writes nothing more once the run is another one's, and says so once", async () => {
    shelf.next = Array.from({ length: 9 }, () => () => Promise.resolve('refuse'));
    for (const line of lines(3_000)) say(line);
    await writer.close();
    expect([shelf.stored, heard.filter((word) => word === 'lost')]).toEqual([[], ['lost']]);
  });

  it('gives up a write that repeats when it is abandoned', async () => {
    shelf.next = Array.from({ length: 1_000 }, () => () => Promise.reject(away()));
    say('never');
    const closed = writer.close();
    await delay(20);
    writer.abandon();
    await closed;
    expect(shelf.stored).toEqual([]);
  });

  it.each([
    [false, 'stop'],
    [true, 'force'],
  ])('hands on a stop that it sees, force: %s', async (force, word) => {
    shelf.stop = { stop: true, force };
    say('x');
    await writer.close();
    expect(heard).toContain(word);
  });

  it('drops all that comes after the limit, counts it, and says so in its place', async () => {
    writer = open(1_000);
    for (const line of lines(100)) say(line);
    say('x'.repeat(2_000));
    writer.normalized([{ type: 'assistant_message', content: 'too late' }]);
    await writer.close();
    const kept = shelf.contents('raw');
    expect(kept).toEqual(lines(100).slice(0, kept.length));
    expect([kept.length + shelf.dropped('raw'), shelf.dropped('normalized')]).toEqual([101, 1]);
    expect(shelf.entries('normalized')).toEqual([
      { type: 'system_message', content: expect.stringContaining('1000 bytes'), metadata: { kind: 'log_limit' } },
    ]);
  });

  it('goes on without the entries that the database refuses for good, and counts them', async () => {
    Logger.overrideLogger(false); // it says so once
    shelf.next = Array.from({ length: 20 }, () => () => Promise.reject(new Error('not this one')));
    say('refused');
    await writer.close();
    say('taken');
    await writer.close();
    expect([shelf.contents('raw'), shelf.dropped('raw')]).toEqual([['taken'], 1]);
  });
});
