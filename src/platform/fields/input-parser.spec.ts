import { describe, expect, it } from '@jest/globals';
import { EveryKind, Moded, Paged } from '../../../test/support/sample-inputs.js';
import { toEnvelope } from '../errors/error-envelope.js';
import { restNames } from '../errors/operations.js';
import type { AppError } from '../errors/app-error.js';
import { InputParser } from './input-parser.js';
import type { Class } from './field-node.js';
import { ListField, TextListField } from './fields.js';
import { normaliseInput, unfold } from './normalise.js';

const uuid = '0198c0de-0000-7000-8000-000000000001';
const parse = (type: Class, raw: unknown) => InputParser.of(type).parse(raw);
function refusalOf(type: Class, raw: unknown) {
  try {
    parse(type, raw);
  } catch (error) {
    return toEnvelope(error as AppError, restNames);
  }
  throw new Error('was accepted');
}

describe('reading arguments', () => {
  it('takes null and empty ids of optional fields as absent, and drops what Gemini CLI adds', () => {
    expect(
      parse(EveryKind, {
        uuid,
        text: '',
        uuid_optional: ' ',
        word: '',
        int: null,
        record: null,
        wait_for_previous: true,
      }),
    ).toEqual({ uuid, text: '' });
  });

  it('keeps the null that clears a field, in an item of a list, too', () => {
    class Item {
      @TextListField('Texts.', { optional: true, nullClears: true }) texts?: string[] | null;
    }
    class Items {
      @ListField('Items.', () => Item) items!: Item[];
    }
    expect(parse(Items, { items: [{ texts: null }, { texts: ['x'] }] })).toEqual({
      items: [{ texts: null }, { texts: ['x'] }],
    });
  });

  it('turns tolerated spellings into the canonical one', () => {
    expect(parse(EveryKind, { uuid, text: 'x', word: 'RED' })).toEqual({ uuid, text: 'x', word: 'red' });
  });

  it('makes storable what the database could not hold', () => {
    expect(parse(EveryKind, { uuid, text: 'a\0b\ud800c', int: 1e300, parts: [{ name: '\0', count: 1e20 }] })).toEqual({
      uuid,
      text: 'a\uFFFDb\uFFFDc',
      int: Number.MAX_SAFE_INTEGER,
      parts: [{ name: '\uFFFD', count: Number.MAX_SAFE_INTEGER }],
    });
  });

  it('compiles a class once', () => {
    expect(InputParser.of(Moded)).toBe(InputParser.of(Moded));
  });

  it.each<[string, Class, unknown, string]>([
    ['a missing field', EveryKind, { uuid }, 'text is required'],
    ['a null required field', EveryKind, { uuid, text: null }, 'text must be string'],
    ['no UUID', EveryKind, { uuid: 'x', text: '' }, 'uuid must be a UUID'],
    ['no time', EveryKind, { uuid, text: '', at: 'tomorrow' }, 'at must be an RFC 3339 time'],
    ['no value of the enum', EveryKind, { uuid, text: '', word: 'blue' }, 'word must be one of: red, green'],
    ['a number below 1', EveryKind, { uuid, text: '', int: 0 }, 'int must be >= 1'],
    ['a fraction', EveryKind, { uuid, text: '', int: 1.5 }, 'int must be integer'],
    ['a blank text', EveryKind, { uuid, text: '', text_short: ' ' }, 'text_short must not be blank'],
    ['a nested field', EveryKind, { uuid, text: '', part: { name: 'x' } }, 'part.count is required'],
    [
      'an item of a list',
      EveryKind,
      {
        uuid,
        text: '',
        parts: [
          { name: 'x', count: 1 },
          { name: 'y', count: -1 },
        ],
      },
      'parts.1.count must be >= 0',
    ],
    ['an empty list', EveryKind, { uuid, text: '', parts: [] }, 'parts must have at least 1 item'],
    [
      'an unknown field',
      Paged,
      { session_id: uuid, workspace_id: uuid },
      'workspace_id is not a field; known fields: attempt_id, session_id, cursor, after_entry_index, wait_ms',
    ],
    ['an unknown field before everything else', EveryKind, { text: 5, size: 1 }, 'size is not a field; known fields:'],
    [
      'an unknown nested field',
      EveryKind,
      { uuid, text: '', parts: [{ name: 'x', count: 1, size: 2 }] },
      'parts.0.size is not a field; known fields: name, count, part_id',
    ],
    ['a name of the prototype', Paged, { session_id: uuid, constructor: 1 }, 'constructor is not a field'],
    ['a list', Paged, [], 'arguments must be a JSON object'],
    ['a missing prompt', Moded, { action: 'queue', attempt_id: uuid }, 'prompt is required when action=queue'],
    [
      'fields of another mode',
      Moded,
      { action: 'cancel', attempt_id: uuid, prompt: 'x', variant: 'y' },
      'prompt is not allowed when action=cancel; variant is not allowed when action=cancel',
    ],
    [
      'wait_ms without after_entry_index',
      Paged,
      { session_id: uuid, wait_ms: 1 },
      'wait_ms only goes with after_entry_index',
    ],
  ])('refuses %s by name', (_, type, raw, summary) => {
    expect(refusalOf(type, raw)).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`The arguments are not valid: ${summary}`),
    });
  });

  it('never takes __proto__ for a prototype', () => {
    const raw = JSON.parse(`{"action":"cancel","__proto__":{"attempt_id":"${uuid}"}}`) as object;
    expect(refusalOf(Moded, raw).message).toContain('__proto__ is not a field');
  });

  it.each<[string, Class, unknown, object]>([
    ['no target', Moded, { action: 'cancel' }, { code: 'missing_target' }],
    [
      'two targets',
      Paged,
      { attempt_id: uuid, session_id: uuid },
      { code: 'ambiguous_target', details: { given: ['attempt_id', 'session_id'] } },
    ],
    ['two ways to page', Paged, { attempt_id: uuid, cursor: 1, after_entry_index: 2 }, { code: 'mixed_pagination' }],
  ])('has a code of its own for %s', (_, type, raw, envelope) => {
    expect(refusalOf(type, raw)).toMatchObject(envelope);
  });

  it('names each wrong field once, and at most twenty', () => {
    const { details } = refusalOf(
      Paged,
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 1])),
    );
    expect((details.fields as { field: string }[]).map((error) => error.field)).toEqual(
      Array.from({ length: 20 }, (_, index) => `x${index}`),
    );
    expect(details.more).toBe(10);
  });

  it('hints at the operation that answers a right id, or that was meant', () => {
    expect(refusalOf(Paged, { attempt_id: 'latest' }).hint).toContain('GET /api/tasks/{task_id}/attempts');
    expect(refusalOf(Moded, { action: 'STOP', attempt_id: uuid }).hint).toBe(
      'Call POST /api/attempts/{attempt_id}/stop to stop.',
    );
    expect(refusalOf(Moded, { action: { toString: 1, valueOf: 1 }, attempt_id: uuid }).hint).toBe(
      'Correct the fields listed in details.fields, then call again.',
    );
    expect(refusalOf(EveryKind, { uuid, toString: 1 }).hint).toBe(
      'Correct the fields listed in details.fields, then call again.',
    );
  });
});

describe('a text in the place of something else', () => {
  const read = (type: Class, args: object) => normaliseInput(type, args);

  it('is read where that leaves no choice', () => {
    expect(read(EveryKind, { int: ' 12 ', flag: 'True', text: '12', uuid_optional: '' })).toEqual({
      int: 12,
      flag: true,
      text: '12',
    });
    expect(read(EveryKind, { uuid: `"${uuid.toUpperCase()}"`, parts: [{ name: 'a', count: '2' }] })).toEqual({
      uuid,
      parts: [{ name: 'a', count: 2 }],
    });
  });

  it('stays what it is where it means nothing, or more than one thing', () => {
    const odd = { int: '1e3', flag: 'yes', int2: '5' };
    expect(read(EveryKind, odd)).toEqual(odd);
  });

  it('and a single item become the list, and JSON text the object that is wanted', () => {
    expect(unfold(EveryKind, { texts: 'one' })).toEqual({ texts: ['one'] });
    expect(unfold(EveryKind, { texts: '["one","two"]' })).toEqual({ texts: ['one', 'two'] });
    expect(unfold(EveryKind, { texts: '[one' })).toEqual({ texts: ['[one'] });
    const right = { texts: ['one'] };
    expect(unfold(EveryKind, right)).toBe(right);
  });
});
