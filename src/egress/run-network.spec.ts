import { describe, expect, it } from '@jest/globals';
import { effectiveNetwork, networkRefusal, type ProjectNetwork } from './run-network.js';

const walls = { isolation: 'bubblewrap', reason: null } as const;
const none = { isolation: 'none', reason: 'it is not installed' } as const;

describe('the network of a run', () => {
  it.each([
    ['open', 'auto', 'open'],
    ['open', 'open', 'open'],
    ['open', 'host', 'host'],
    ['open', 'listed', 'listed'],
    ['open', 'none', 'none'],
    ['listed', 'host', 'listed'],
    ['listed', 'auto', 'listed'],
    ['listed', 'none', 'none'],
    ['none', 'listed', 'none'],
  ] as const)('of a project with %s under RUN_NETWORK=%s is %s', (wanted, RUN_NETWORK, network) => {
    expect(effectiveNetwork(wanted, { RUN_NETWORK }, walls).network).toBe(network);
  });

  it('is that of the host without walls, if it is open, and cannot be had otherwise', () => {
    const made = (wanted: ProjectNetwork) => effectiveNetwork(wanted, { RUN_NETWORK: 'auto' }, none);
    expect(made('open')).toEqual({ network: 'host', reason: 'runs have no walls: it is not installed' });
    expect(networkRefusal(made('open'), none)).toBeNull();
    for (const wanted of ['listed', 'none'] as const)
      expect(networkRefusal(made(wanted), none)).toContain('it is not installed');
    expect(networkRefusal(effectiveNetwork('listed', { RUN_NETWORK: 'auto' }, walls), walls)).toBeNull();
  });

  it('is that of its container, if it is open, and cannot be had otherwise', () => {
    const beside = { isolation: 'container', reason: null } as const;
    const made = (wanted: ProjectNetwork) => effectiveNetwork(wanted, { RUN_NETWORK: 'open' }, beside);
    expect(made('open')).toEqual({ network: 'host', reason: expect.stringContaining('NetworkPolicy') });
    for (const wanted of ['listed', 'none'] as const)
      expect(networkRefusal(made(wanted), beside)).toBe('a network of its own needs walls (ISOLATION=container)');
  });
});
