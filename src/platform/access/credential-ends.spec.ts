import { beforeEach, describe, expect, it } from '@jest/globals';
import { ALL_MEMBERS, CredentialEnds, memberKey } from './verified-tokens.js';
import { localOwner, type Principal } from './principal.js';

const WORKER = '0198c0de-0000-7000-8000-000000000001';
const credential = { id: 'abc', expires_at: null };

describe('what goes on for long', () => {
  let announce: (key: string | null) => void;
  let ends: CredentialEnds;
  beforeEach(() => {
    ends = new CredentialEnds({ follow: (listener) => (announce = listener) });
  });

  function begin(principal: Partial<Principal>): { count: number; stop: () => void } {
    const heard = { count: 0, stop: () => undefined as void };
    heard.stop = ends.onEnd({ ...localOwner, ...principal }, () => (heard.count += 1));
    return heard;
  }

  it.each<[string, Partial<Principal>, string | null]>([
    ['its token', { credential }, 'token:abc'],
    ['the membership of its worker', { credential, worker: WORKER }, memberKey(WORKER)],
    ['the membership of a worker who is only named', { worker: WORKER }, memberKey(WORKER)],
    ['a project that was open to every worker', { worker: WORKER }, ALL_MEMBERS],
    ['whatever may have been missed', { credential }, null],
  ])('hears at once of the end of %s, and nothing once it is over', (_, principal, key) => {
    const heard = begin(principal);
    announce(key);
    expect(heard.count).toBe(1);
    heard.stop();
    announce(key);
    expect(heard.count).toBe(1);
  });

  it.each<[string, Partial<Principal>, string]>([
    ['of others', { credential, worker: WORKER }, 'token:other'],
    ['of other workers', { credential, worker: WORKER }, memberKey('another')],
    ['of members, for who is bound to no membership', { credential }, ALL_MEMBERS],
  ])('hears nothing %s', (_, principal, key) => {
    const heard = begin(principal);
    announce(key);
    expect(heard.count).toBe(0);
    heard.stop();
  });

  it('hears of the expiry of its token', async () => {
    await new Promise<void>((resolve) => {
      ends.onEnd({ ...localOwner, credential: { id: 'abc', expires_at: Date.now() + 5 } }, resolve);
    });
  });
});
