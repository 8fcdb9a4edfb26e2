import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ChangeHub } from './change-hub.js';
import type { Database } from './database.js';

/** The part of the database that the hub speaks with: what is notified goes to every session that listens. */
class Exchange {
  readonly sent: string[] = [];
  readonly sessions: EventEmitter[] = [];
  afterCommit = (callback: () => void): void => callback();

  query(_: string, [, payload]: [string, string]): Promise<object[]> {
    this.sent.push(payload);
    this.sessions.forEach((session) => session.emit('notification', { payload }));
    return Promise.resolve([]);
  }

  async hub(): Promise<ChangeHub> {
    const hub = new ChangeHub(this as unknown as Database);
    const session = Object.assign(new EventEmitter(), { query: () => Promise.resolve() });
    this.sessions.push(session);
    await hub.listen(session as unknown as pg.Client);
    return hub;
  }
}

describe('the hub of changes', () => {
  let exchange: Exchange;
  let hub: ChangeHub;
  let elsewhere: ChangeHub;

  beforeEach(async () => {
    exchange = new Exchange();
    hub = await exchange.hub();
    elsewhere = await exchange.hub();
  });
  afterEach(() => [hub, elsewhere].forEach((one) => one.beforeApplicationShutdown()));

  /** A check that answers from the n-th look on. */
  function fromLook(count: number): { check: () => Promise<string | null>; looks: () => number } {
    let looks = 0;
    return { check: () => Promise.resolve((looks += 1) >= count ? 'found' : null), looks: () => looks };
  }

  it('looks at once, and does not wait for what is there', async () => {
    const { check, looks } = fromLook(1);
    expect([await hub.waitFor('a', 60_000, check), looks()]).toEqual(['found', 1]);
  });

  it('answers null after the time, and looks a last time then', async () => {
    const { check, looks } = fromLook(99);
    expect(await hub.waitFor('a', 30, check)).toBeNull();
    expect(looks()).toBeGreaterThan(1);
    expect(await hub.waitFor('a', 0, check)).toBeNull();
  });

  it('wakes who waits for that key, here and elsewhere, and nobody else', async () => {
    const here = fromLook(2);
    const there = fromLook(2);
    const other = fromLook(2);
    const found = [hub.waitFor('a', 60_000, here.check), elsewhere.waitFor('a', 60_000, there.check)];
    void hub.waitFor('b', 1_000, other.check);
    await delay(1);
    hub.changed('a');
    expect(await Promise.all(found)).toEqual(['found', 'found']);
    expect(other.looks()).toBe(1);
  });

  it('does not lose a change that comes while it looks', async () => {
    let looks = 0;
    const found = hub.waitFor('a', 60_000, async () => {
      looks += 1;
      if (looks === 1) hub.changed('a');
      await delay(5);
      return looks === 2 ? 'found' : null;
    });
    expect(await found).toBe('found');
  });

  it('looks by itself where a notice was lost', async () => {
    const { check } = fromLook(2);
    expect(await hub.waitFor('silent', 60_000, check)).toBe('found');
  });

  it('sends many changes as one notice, and too many as "look at everything"', async () => {
    for (let at = 0; at < 100; at += 1) hub.changed(`key-${at % 10}`);
    await delay(150);
    expect(exchange.sent).toHaveLength(1);
    expect(exchange.sent[0]!.split(' ')[1]!.split(',')).toHaveLength(10);
    const { check } = fromLook(2);
    const found = elsewhere.waitFor('key-400', 60_000, check);
    for (let at = 0; at < 500; at += 1) hub.changed(`key-${at}`);
    expect(await found).toBe('found');
    expect(exchange.sent[1]).toMatch(/ \*$/);
  });

  it('lets everybody go when the server ends', async () => {
    const { check } = fromLook(Infinity);
    const waiting = Array.from({ length: 50 }, (_, at) => hub.waitFor(`key-${at % 5}`, 60_000, check));
    await delay(1);
    hub.beforeApplicationShutdown();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
    expect(hub.isClosing).toBe(true);
    expect(await hub.waitFor('a', 60_000, check)).toBeNull();
  });

  it('hands on what a check throws, and forgets who waited', async () => {
    await expect(hub.waitFor('a', 60_000, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    hub.changed('a'); // nobody is called
  });
});
