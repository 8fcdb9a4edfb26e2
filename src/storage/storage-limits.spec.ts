import { describe, expect, it } from '@jest/globals';
import { localOwner } from '../platform/access/principal.js';
import { StorageLimits } from './storage-limits.service.js';
import type { StoredBytesRepository } from './stored-bytes.repository.js';

describe('what is stored', () => {
  it('has one sum for all who come while it is read', async () => {
    let answer!: (stored: number) => void;
    const sumOf = () => new Promise<number>((resolve) => (answer = resolve));
    const ofProject = { MAX_STORED_BYTES_PER_PROJECT: 100, MAX_STORED_BYTES_PER_PRINCIPAL: 0 };
    const limits = new StorageLimits(ofProject, { sumOf } as unknown as StoredBytesRepository);
    const first = limits.find('shop', localOwner, 30);
    const others = Array.from({ length: 19 }, () => limits.find('shop', localOwner, 30));
    answer(40);
    const refusals = (await Promise.all([first, ...others])).filter((refusal) => refusal !== null);
    expect(refusals).toHaveLength(18);
    expect(refusals[0]).toMatchObject({ code: 'too_much_stored', details: { stored: 100, most: 100 } });
  });
});
