import { describe, expect, it } from '@jest/globals';
import { EveryKind, Moded, Paged } from '../../../test/support/sample-inputs.js';
import { ErrorEnvelope } from '../errors/error-envelope.js';
import { fieldsOf } from './field-node.js';
import { BoolField, ListField, ObjectField, TextField } from './fields.js';
import { objectSchema } from './json-schema.js';
import { inputSchema, outputSchema } from './schema-profiles.js';

class Inner {
  @TextField('A name; null where unknown.', { nullable: true }) name!: string | null;
}
class Output {
  @ObjectField('One; null where there is none.', () => Inner, { nullable: true }) one!: Inner | null;
  @ListField('Many.', () => Inner) many!: Inner[];
}
class Child extends Inner {
  @BoolField('A flag.') flag!: boolean;
}

describe('an input schema', () => {
  it('publishes every kind of field with its description, closed and without caps', () => {
    expect(inputSchema(EveryKind, 'portable')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['uuid', 'text'],
      properties: {
        uuid: { type: 'string', format: 'uuid', description: 'An id, UUID.' },
        uuid_optional: { type: 'string', format: 'uuid', description: 'Another id, UUID.' },
        text: { type: 'string', description: 'A text.' },
        text_short: {
          type: 'string',
          pattern: '\\S',
          maxLength: 5,
          description: 'A short text of 1-5 characters.',
        },
        word: { type: 'string', enum: ['red', 'green'], description: 'A word, in any case.' },
        int: { type: 'integer', minimum: 1, description: 'A number from 1.' },
        flag: { type: 'boolean', description: 'A flag.' },
        at: { type: 'string', format: 'date-time', description: 'A time, RFC 3339.' },
        record: { type: 'object', properties: {}, description: 'Anything.' },
        part: { ...objectSchema(fieldsOf(EveryKind).get('part')!.of!(), 'input'), description: 'One part.' },
        parts: {
          type: 'array',
          minItems: 1,
          items: objectSchema(fieldsOf(EveryKind).get('parts')!.of!(), 'input'),
          description: 'Some parts.',
        },
        texts: {
          type: 'array',
          items: { type: 'string', pattern: '\\S' },
          description: 'Some texts.',
        },
      },
    });
  });

  it('hides a union behind if and then, shows it at the root, or leaves it to the words', () => {
    const {
      if: condition,
      then,
      ...base
    } = inputSchema(Moded, 'portable') as { if: object; then: { oneOf: object[] } };
    expect(condition).toEqual({ required: ['action'] });
    const modes = [['send', 'queue'], ['cancel']].map((action) => ({ action: { enum: action } }));
    const forbidden = ['prompt', 'variant'].map((field) => ({ required: [field] }));
    expect(then.oneOf).toEqual([
      { properties: modes[0], required: ['prompt', 'attempt_id'] },
      { properties: modes[0], required: ['prompt', 'session_id'] },
      { properties: modes[1], required: ['attempt_id'], not: { anyOf: forbidden } },
      { properties: modes[1], required: ['session_id'], not: { anyOf: forbidden } },
    ]);
    expect(inputSchema(Moded, 'oneof')).toEqual({ ...base, oneOf: then.oneOf });
    const words = (schema: object) => (schema as { properties: { prompt: object } }).properties.prompt;
    expect(words(base)).toMatchObject({ description: 'The message.' });
    expect(words(inputSchema(Moded, 'flat'))).toMatchObject({
      description: 'The message. Required when action is send or queue. Not with action cancel.',
    });
    expect((inputSchema(Paged, 'portable') as { if: object }).if).toEqual({ type: 'object' });
  });
});

describe('an output schema', () => {
  it('is open, has every field required and nullable ones as a nested union', () => {
    const schema = outputSchema(Output, ErrorEnvelope) as { properties: Record<string, object>; else: object };
    const inner = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { description: 'A name; null where unknown.', anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
    };
    expect(schema.properties.one).toEqual({
      description: 'One; null where there is none.',
      anyOf: [inner, { type: 'null' }],
    });
    expect(schema.properties.many).toEqual({ type: 'array', items: inner, description: 'Many.' });
    expect(schema.else).toEqual({ required: ['one', 'many'] });
    expect(schema).not.toHaveProperty('additionalProperties');
  });
});

describe('fields', () => {
  it('are inherited, parents first', () => {
    expect([...fieldsOf(Child).keys()]).toEqual(['name', 'flag']);
  });

  it('must be described', () => {
    expect(() => {
      class Silent {
        @TextField(' ') text!: string;
      }
      return Silent;
    }).toThrow('Silent.text has no description');
  });
});
