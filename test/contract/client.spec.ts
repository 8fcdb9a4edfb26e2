import { expect, it } from '@jest/globals';
import { keyedOperations } from '../../src/client/keyed-operations.js';
import { readApiDocument } from '../support/api-document.js';

it('the client sends a key with every operation that takes one, and with no other', async () => {
  const { paths } = (await readApiDocument()) as unknown as {
    paths: Record<string, Record<string, { parameters?: { name?: string }[] }>>;
  };
  const keyed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect([...keyedOperations].sort()).toEqual(keyed.sort());
});
