import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { FailedLogins, MAX_FAILURES } from './caller-limits.js';

describe('failed logins', () => {
  const lines: unknown[][] = [];
  const keep = (...line: unknown[]): void => void lines.push(line);
  const collector: LoggerService = { log: keep, error: keep, warn: keep };
  let logins: FailedLogins;
  beforeEach(() => {
    lines.length = 0;
    Logger.overrideLogger(collector);
    logins = new FailedLogins();
  });
  afterAll(() => Logger.overrideLogger(false));

  it('are written down with their address and reason', () => {
    logins.record('192.0.2.1', 'the token is wrong');
    expect(lines).toEqual([
      [{ address: '192.0.2.1', reason: 'the token is wrong', failures: 1 }, 'authentication failed', 'Access'],
    ]);
  });

  it('are forgotten from the oldest on, so that a flood fills no memory', () => {
    for (let count = 0; count < MAX_FAILURES; count += 1) logins.record('first', 'guess');
    expect(() => logins.record('first', 'guess')).toThrow('Too many requests.');
    expect(lines).toHaveLength(MAX_FAILURES);
    for (let count = 0; count < 10_000; count += 1) logins.record(`address ${count}`, 'guess');
    expect(() => logins.record('first', 'guess')).not.toThrow();
  });
});
