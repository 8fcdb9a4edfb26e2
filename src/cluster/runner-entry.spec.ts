import { hostname } from 'node:os';
import { expect, it } from '@jest/globals';
import { internalHost } from './runner-entry.js';

it.each([
  ['127.0.0.1', '', '127.0.0.1'],
  ['::1', '', '[::1]'],
  ['0.0.0.0', '', hostname()],
  ['127.0.0.1', 'runner-1:8002', 'runner-1'],
  ['0.0.0.0', '127.0.0.1:8002', '127.0.0.1'],
])('S12: a process on HOST=%s with INTERNAL_ADDRESS=%s is reached at %s', (HOST, INTERNAL_ADDRESS, host) => {
  expect(internalHost({ HOST, INTERNAL_ADDRESS })).toBe(host);
});
