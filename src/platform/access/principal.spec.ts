import { expect, it } from '@jest/globals';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { localOwner, principalOf } from './principal.js';

it('S22: a request for which nobody decided who calls is answered to nobody', () => {
  expect(() => principalOf({})).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  expect(errorCatalogue.unauthenticated.status).toBe(401);
  expect(principalOf({ principal: localOwner })).toBe(localOwner);
});
