import { describe, expect, it } from '@jest/globals';
import { parseHostRule } from '../platform/network/host-rule.js';
import { HostGate } from './host-gate.js';
import type { NetworkMode } from './run-network.js';

/** A gate with these hosts; `later` are what it learns once it asks anew. */
function gateOf(network: NetworkMode, hosts: string[], { later = hosts, hasParent = false } = {}) {
  const unlisted: unknown[] = [];
  const reachOf = (texts: string[]) => ({ network, rules: texts.map((text) => parseHostRule(text)!) });
  const gate = new HostGate({
    id: 'run',
    reach: (isMiss) => Promise.resolve(reachOf(isMiss ? later : hosts)),
    onUnlisted: (...seen) => unlisted.push(seen),
    hasParent,
    home: ['taskyard.example'],
  });
  return { gate, unlisted };
}
const refused = (reason: string) => ({ status: 403, refusal: expect.stringContaining(reason) });

describe('the gate of a run', () => {
  it('lets pass what is listed, to the address that was checked', async () => {
    const { gate, unlisted } = gateOf('listed', ['8.8.8.8:53']);
    expect(await gate.admit('8.8.8.8', 53)).toEqual({ addresses: [{ address: '8.8.8.8', family: 4 }] });
    expect(unlisted).toEqual([]);
  });

  it('refuses what is not, however it is written, and says how to ask for it', async () => {
    const { gate, unlisted } = gateOf('listed', ['8.8.8.8']);
    expect(await gate.admit('8.8.8.8', 22)).toEqual(refused('request_host'));
    expect(await gate.admit('134744073', 443)).toEqual(refused('8.8.8.9:443'));
    expect(await gate.admit('a b', 443)).toEqual(refused('is no host'));
    expect(unlisted).toEqual([
      ['8.8.8.8', 22, true],
      ['8.8.8.9', 443, true],
    ]);
  });

  it('asks anew before it refuses', async () => {
    const { gate, unlisted } = gateOf('listed', [], { later: ['8.8.8.8'] });
    expect(await gate.admit('8.8.8.8', 443)).toMatchObject({ addresses: expect.any(Array) });
    expect(unlisted).toEqual([]);
  });

  it.each([
    ['localhost', 'by its name'],
    ['127.0.0.1', 'by its address'],
    ['[::ffff:127.0.0.1]', 'by an address in another'],
    ['169.254.169.254', 'the metadata of a cloud'],
    ['0.0.0.0', 'any'],
    ['Taskyard.example', 'by its public name'],
  ])('never lets a run reach this machine, listed or not: %s, %s', async (host) => {
    for (const network of ['listed', 'open'] as const)
      for (const hasParent of [false, true])
        expect(await gateOf(network, [host], { hasParent }).gate.admit(host, 80)).toEqual(refused('own machine'));
  });

  it('resolves a listed name and refuses it for where it leads', async () => {
    // every machine knows its own name, and it leads to itself
    const { hostname } = await import('node:os');
    const answer = await gateOf('listed', [hostname()]).gate.admit(hostname(), 443);
    expect(answer).toMatchObject({ status: expect.any(Number) });
    expect(await gateOf('listed', ['nowhere.invalid']).gate.admit('nowhere.invalid', 443)).toEqual({
      status: 502,
      refusal: expect.stringContaining('cannot be resolved'),
    });
  });

  it('lets private addresses pass only where they are listed, also in an open network', async () => {
    for (const network of ['listed', 'open'] as const)
      expect(await gateOf(network, ['10.0.0.1']).gate.admit('10.0.0.1', 443)).toMatchObject({ addresses: [{}] });
    expect(await gateOf('open', []).gate.admit('10.0.0.1', 443)).toEqual(refused('private address'));
  });

  it('notes in an open network what a list would refuse', async () => {
    const { gate, unlisted } = gateOf('open', []);
    expect(await gate.admit('8.8.8.8', 443)).toMatchObject({ addresses: [{}] });
    expect(unlisted).toEqual([['8.8.8.8', 443, false]]);
  });

  it('lets nothing pass without a network', async () => {
    expect(await gateOf('none', ['8.8.8.8']).gate.admit('8.8.8.8', 443)).toEqual(refused('no network'));
  });

  it('leaves names to a parent proxy', async () => {
    const { gate } = gateOf('listed', ['a.example'], { hasParent: true });
    expect(await gate.admit('a.example', 443)).toEqual({ addresses: null });
  });
});
