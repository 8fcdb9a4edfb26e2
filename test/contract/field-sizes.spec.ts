import { describe, expect, it } from '@jest/globals';
import type { AppError } from '../../src/platform/errors/app-error.js';
import { type Class, type FieldNode, fieldsOf } from '../../src/platform/fields/field-node.js';
import { InputParser } from '../../src/platform/fields/input-parser.js';
import { MAX_RECORD_BYTES, MAX_TEXT } from '../../src/platform/fields/input-bounds.js';
import { declaredClasses } from '../support/declared-classes.js';

const classes = await declaredClasses();

/** A value that is as long as no field of its kind may be, where the kind has a length. */
const tooLong = ({ kind, maxLength = MAX_TEXT, itemNode }: FieldNode): unknown => {
  if (kind === 'text') return 'x'.repeat(maxLength + 1);
  if (kind === 'record') return { key: 'x'.repeat(MAX_RECORD_BYTES) };
  const item = itemNode && tooLong(itemNode);
  return item && [item];
};
const cases = classes.flatMap((type) =>
  [...fieldsOf(type)].flatMap(([field, node]): [string, Class, string, FieldNode][] =>
    tooLong(node) === undefined ? [] : [[`${type.name}.${field}`, type, field, node]],
  ),
);

function refusalOf(type: Class, input: object): string {
  try {
    InputParser.of(type).parse(input);
  } catch (error) {
    return (error as AppError).message;
  }
  return 'accepted';
}

describe('every text and every free record has a maximum', () => {
  it('is asked of all fields that are declared', () => {
    expect(cases.length).toBeGreaterThan(150);
  });

  it.each(cases)('%s', (_, type, field, node) => {
    expect(refusalOf(type, { [field]: tooLong(node) })).toMatch(
      new RegExp(`${field}\\S* must (have at most|NOT have more than) \\d+ (characters|bytes)`),
    );
  });

  it('is counted in characters, not in the units of a string', () => {
    const [, type, field] = cases.find(([name]) => name === 'CreateTaskInput.description')!;
    expect(refusalOf(type, { [field]: '😀'.repeat(MAX_TEXT) })).not.toContain('at most');
    expect(refusalOf(type, { [field]: `${'😀'.repeat(MAX_TEXT)}x` })).toContain('at most 1048576 characters');
  });
});
