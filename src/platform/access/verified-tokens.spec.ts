import { describe, expect, it } from '@jest/globals';
import { localOwner, type Principal } from './principal.js';
import { VerifiedTokens } from './verified-tokens.js';

const holder = (id: string, expires_at: number | null = null): Principal => ({
  ...localOwner,
  credential: { id, expires_at },
});

function given() {
  const changes = { isListening: true, tell: (_key: string | null): void => undefined };
  const tokens = new VerifiedTokens({
    get isListening() {
      return changes.isListening;
    },
    follow: (listener) => {
      changes.tell = listener;
    },
  });
  return { changes, tokens };
}

describe('verified tokens', () => {
  it('are kept until one is revoked', () => {
    const { changes, tokens } = given();
    for (const [digest, id] of ['a', 'b'].entries()) tokens.keep(String(digest), holder(id));
    changes.tell('token:a');
    changes.tell('some-task');
    expect([tokens.find('0'), tokens.find('1')]).toEqual([null, holder('b')]);
  });

  it('are all forgotten where a change may have been missed', () => {
    const { changes, tokens } = given();
    tokens.keep('digest', holder('a'));
    changes.tell(null);
    expect(tokens.find('digest')).toBeNull();
  });

  it('count for nothing while changes cannot be heard', () => {
    const { changes, tokens } = given();
    tokens.keep('digest', holder('a'));
    changes.isListening = false;
    expect(tokens.find('digest')).toBeNull();
  });

  it('do not outlive their expiry, and what has no credential is not kept', () => {
    const { tokens } = given();
    tokens.keep('over', holder('a', Date.now() - 1));
    tokens.keep('owner', localOwner);
    expect([tokens.find('over'), tokens.find('owner')]).toEqual([null, null]);
  });

  it('are at most ten thousand', () => {
    const { tokens } = given();
    for (let index = 0; index <= 10_000; index += 1) tokens.keep(String(index), holder(`id-${index}`));
    expect([tokens.find('0'), tokens.find('1')?.credential?.id]).toEqual([null, 'id-1']);
  });
});
