import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { kindOf } from './addresses.js';

describe('an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['2606:4700::1', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['198.51.100.1', 'private'],
    ['240.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['2002:a00:1::', 'private'],
    ['4000::1', 'private'],
    ['127.0.0.2', 'own'],
    ['::1', 'own'],
    ['0.0.0.0', 'own'],
    ['::', 'own'],
    ['169.254.169.254', 'own'],
    ['::ffff:169.254.169.254', 'own'],
    ['64:ff9b::a9fe:a9fe', 'own'],
    ['100.100.100.200', 'own'],
    ['168.63.129.16', 'own'],
    ['fd00:ec2::254', 'own'],
    ['fe80::1', 'own'],
    ['fe80::1%eth0', 'own'],
    ['224.0.0.1', 'own'],
    ['ff02::1', 'own'],
    ['255.255.255.255', 'own'],
  ])('%s is %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind);
  });

  it('of an interface of this machine is its own', () => {
    const addresses = Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
    expect(addresses.map(kindOf)).toEqual(addresses.map(() => 'own'));
  });
});
