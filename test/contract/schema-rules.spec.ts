import { describe, expect, it } from '@jest/globals';
import { combinators, schemaViolations } from '../support/schema-rules.js';

const described = (schema: object) => ({ ...schema, description: 'x' });
const root = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const check = (schema: object, rules = { nowhere: [] as string[], notAtRoot: combinators as readonly string[] }) =>
  schemaViolations(schema as Record<string, unknown>, rules);

describe('the rules for schemas', () => {
  it('accept a plain object with a nullable field and a condition', () => {
    const nullable = described({ anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] });
    expect(
      check(
        root(
          { task_id: nullable },
          {
            if: { required: ['task_id'] },
            then: { oneOf: [{ properties: { task_id: { enum: ['a'] } }, required: ['task_id'] }] },
          },
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    ['a root that is no object', { type: 'array', items: {} }, 'the root is not an object with properties'],
    ['a union at the root', root({}, { oneOf: [] }), 'oneOf at the root'],
    ['a field without a description', root({ a: { type: 'string' } }), '/a has no description'],
    [
      'a nested field without a description',
      root({ a: described({ type: 'array', items: root({ b: { type: 'string' } }) }) }),
      '/a/items/b has no description',
    ],
    ['a list of types', root({ a: described({ type: ['string', 'null'] }) }), '/a has a list of types'],
    ['an array without items', root({ a: described({ type: 'array' }) }), '/a is an array without items'],
    ['a boolean subschema', root({ a: true }), '/a is not a schema object'],
    ['a reference', root({ a: described({ $ref: '#/x' }) }), '/a has $ref'],
    [
      'a constant in a branch',
      root({}, { if: {}, then: { oneOf: [{ properties: { a: { const: 1 } } }] } }),
      '/then/oneOf/0/a has const',
    ],
    ['a cap', root({ all: described({ type: 'array', items: { type: 'string' }, maxItems: 5 }) }), '/all has maxItems'],
    ['an id as text', root({ task_id: described({ type: 'string' }) }), '/task_id is not a UUID'],
    ['an object without properties', root({ a: described({ type: 'object' }) }), '/a is an object without properties'],
  ])('refuse %s', (_, schema, violation) => {
    expect(check(schema)).toEqual([violation]);
  });

  it('refuse a combinator at any depth where a profile has none', () => {
    expect(
      check(root({ a: described({ type: 'array', items: { anyOf: [{ type: 'string' }] } }) }), {
        nowhere: ['anyOf'],
        notAtRoot: [],
      }),
    ).toEqual(['/a/items has anyOf']);
  });
});
