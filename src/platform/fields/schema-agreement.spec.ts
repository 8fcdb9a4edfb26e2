import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { callsOf, oddValues } from '../../../test/support/call-arbitrary.js';
import { EveryKind, Moded, Paged } from '../../../test/support/sample-inputs.js';
import { type Class, fieldsOf } from './field-node.js';
import { checkModes, createAjv, InputParser } from './input-parser.js';
import { normaliseInput } from './normalise.js';
import { inputSchema, type SchemaProfile } from './schema-profiles.js';

const uuid = '0198c0de-0000-7000-8000-000000000001';
const ajv = createAjv();
const accepts = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false; // a check refuses by a throw
  }
};
const byClassValidator = (type: Class, call: object): boolean =>
  validateSync(plainToInstance(type as new () => object, structuredClone(call)), {
    whitelist: true,
    forbidNonWhitelisted: true,
  }).length === 0;
const byModes = (type: Class, call: object): boolean =>
  accepts(() => checkModes(type, call as Record<string, unknown>));

const rightCalls: [string, Class, Record<string, unknown>][] = [
  ['every kind of field', EveryKind, { uuid, text: 'x' }],
  ['modes and targets', Moded, { action: 'send', attempt_id: uuid, prompt: 'x' }],
  ['paging', Paged, { session_id: uuid }],
];

describe.each(rightCalls)(
  'a call of %s is accepted or refused alike by the three published schemas, the parser and class-validator',
  (_, type, rightCall) => {
    const published = (profile: SchemaProfile) => ajv.compile(inputSchema(type, profile));
    const schemas = { portable: published('portable'), oneof: published('oneof'), flat: published('flat') };

    /** @returns whether the call was accepted */
    function expectAgreement(raw: Record<string, unknown>): boolean {
      const call = normaliseInput(type, raw) as object;
      const fields = byClassValidator(type, call);
      const whole = fields && byModes(type, call);
      const verdicts = {
        flat: schemas.flat(call),
        portable: schemas.portable(call),
        oneof: schemas.oneof(call),
        parser: accepts(() => InputParser.of(type).parse(raw)),
      };
      expect({ call, ...verdicts }).toEqual({ call, flat: fields, portable: whole, oneof: whole, parser: whole });
      return whole;
    }

    it('whatever it holds', () => {
      const accepted: boolean[] = [];
      fc.assert(
        fc.property(callsOf(type), (raw) => {
          accepted.push(expectAgreement(raw));
        }),
        { numRuns: 1500 },
      );
      expect(accepted.filter(Boolean).length).toBeGreaterThan(50);
      expect(accepted.filter((verdict) => !verdict).length).toBeGreaterThan(50);
    });

    it('whichever one field is wrong', () => {
      expect(expectAgreement(rightCall)).toBe(true);
      for (const field of fieldsOf(type).keys())
        for (const value of oddValues) expectAgreement({ ...rightCall, [field]: value });
    });
  },
);
