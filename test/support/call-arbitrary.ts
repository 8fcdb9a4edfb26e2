import fc from 'fast-check';
import { type Class, type FieldKind, type FieldNode, fieldsOf } from '../../src/platform/fields/field-node.js';

/** Values that no field, or hardly a field, accepts. */
export const oddValues: readonly unknown[] = [
  null,
  '',
  ' ',
  '\u00a0',
  0,
  -1,
  1.5,
  1e300,
  true,
  [],
  {},
  [[]],
  [null],
  [''],
  { name: 'x' },
  'RED',
  'not-a-uuid',
  '2026-02-30T10:00:00Z',
  '2026-13-01T00:00:00Z',
  'abcde\uFE0F',
  '😀😀😀😀😀😀',
];
const odd = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...oddValues) }, { weight: 1, arbitrary: fc.jsonValue() });
/** Not names of Object.prototype: class-transformer drops those before class-validator sees them. */
const unknownKeys = fc.constantFrom('wait_for_previous', 'workspace_id', 'Action', 'attempt_id ', '');

/** Calls of a class: mostly right, with wrong values, missing and unknown fields mixed in. */
export function callsOf(type: Class, oddity = 1): fc.Arbitrary<Record<string, unknown>> {
  const fields = [...fieldsOf(type)].map(([name, node]) =>
    fc.tuple(fc.constant(name), present(node), oneValue(node, oddity)),
  );
  const strangers = fc.array(fc.tuple(unknownKeys, fc.constantFrom<unknown>(1, null, 'x')), { maxLength: oddity });
  return fc
    .tuple(fc.tuple(...fields), fc.boolean(), strangers)
    .map(
      ([given, strange, extra]) =>
        Object.fromEntries([
          ...given.filter(([, isThere]) => isThere).map(([name, , value]) => [name, value]),
          ...(strange ? [] : extra),
        ]) as Record<string, unknown>,
    );
}

const present = (node: FieldNode): fc.Arbitrary<boolean> =>
  node.optional ? fc.boolean() : fc.constantFrom(...Array<boolean>(30).fill(true), false);
const oneValue = (node: FieldNode, oddity: number): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: right(node) }, { weight: oddity, arbitrary: odd });

const right = (node: FieldNode): fc.Arbitrary<unknown> => rightValues[node.kind](node);
const rightValues: Record<FieldKind, (node: FieldNode) => fc.Arbitrary<unknown>> = {
  uuid: () => fc.uuid(),
  time: () => fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
  text: ({ maxLength = 20 }) => fc.string({ unit: 'binary', minLength: 1, maxLength }),
  enum: ({ values = [] }) => fc.constantFrom(...values),
  int: ({ minimum = -5 }) => fc.integer({ min: minimum, max: 1000 }),
  number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  bool: () => fc.boolean(),
  record: () => fc.dictionary(fc.string(), fc.jsonValue()),
  object: (node) => callsOf(node.of!(), 0),
  list: ({ itemNode, of, minItems = 0 }) =>
    fc.array(itemNode ? right(itemNode) : callsOf(of!(), 0), { minLength: minItems, maxLength: 3 }),
};
