import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toolDefinitionOf } from '../../src/mcp/tool.js';
import { errorCatalogue, type ErrorCode } from '../../src/platform/errors/error-catalogue.js';
import { toEnvelope } from '../../src/platform/errors/error-envelope.js';
import { errorExample } from '../../src/platform/errors/error-examples.js';
import { operations, type Operation } from '../../src/platform/errors/operations.js';
import { peopleHint } from '../../src/platform/errors/people.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { readApiDocument } from '../support/api-document.js';
import { operationsOf } from '../support/api-rules.js';
import { sourceTexts, throwersOf } from '../support/thrown-errors.js';

const texts = sourceTexts();
const throwers = throwersOf(texts);
const codes = Object.keys(errorCatalogue) as ErrorCode[];
function placeholdersOf(code: ErrorCode) {
  const { message, hint, people = '' } = errorCatalogue[code];
  return [...`${message} ${hint} ${people}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
}
/** Of the catalogue and of the hints that throwers write themselves. */
const namedOperations = [...texts].flatMap(([file, text]) =>
  [...text.matchAll(/\{op:([a-z_]+)\}/g)].map(([, operation]) => ({ file, operation })),
);

describe('the error catalogue', () => {
  it('has no code that nothing answers', () => {
    expect(throwers.length).toBeGreaterThan(40);
    const answered = new Set(throwers.flatMap((thrower) => thrower.codes));
    expect(codes.filter((code) => !answered.has(code))).toEqual([]);
  });

  it('has only placeholders for which every thrower gives the fact', () => {
    const lacking = throwers.flatMap(({ place, codes: thrown, facts }) =>
      thrown.flatMap((code) => {
        const missing = placeholdersOf(code as ErrorCode).filter((name) => !facts.includes(name!));
        return missing.length ? [`${place}: ${code} lacks ${missing.join(', ')}`] : [];
      }),
    );
    expect(lacking).toEqual([]);
  });

  it.each(codes)('%s says what went wrong and what to do', (code) => {
    const { status, message, hint } = errorCatalogue[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(message).toMatch(/^[A-Z{g].{10,}/);
    expect(hint).toMatch(/^[A-Z{].*[.}]$/);
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it.each(codes)('%s tells people nothing that only programs can do', (code) => {
    const said = peopleHint(errorExample(code));
    expect(said).not.toMatch(/[{}]|\w_\w|\/api\/|\b(GET|POST|PUT|PATCH|DELETE|JSON)\b/);
    expect(said).toMatch(/^$|^[A-Z].*\.$/);
  });

  it.each(codes)('%s has an example with a value for every fact it names', (code) => {
    const { details, message, hint } = toEnvelope(errorExample(code), () => 'there');
    expect(Object.entries(details).filter(([, value]) => value === undefined)).toEqual([]);
    expect(`${message} ${hint}`).not.toMatch(/[{}]| {2}/);
  });
});

describe('the operations that hints name', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    document = await readApiDocument();
  });

  it('are all known', () => {
    expect(namedOperations.length).toBeGreaterThan(20);
    expect(namedOperations.filter(({ operation }) => operation !== 'name' && !(operation! in operations))).toEqual([]);
  });

  it.each(toolsets.map((toolset) => [toolset.id, toolset] as const))(
    'are tools of the toolset %s, or else the route',
    (_, toolset) => {
      const tools = toolset.tools.map((tool) => toolDefinitionOf(tool).name);
      const named = (Object.keys(operations) as Operation[]).map((operation) => ({
        operation,
        name: toolset.operationNames(operation),
      }));
      expect(named.filter(({ operation, name }) => !tools.includes(name) && name !== operations[operation])).toEqual(
        [],
      );
      expect(named.some(({ name }) => tools.includes(name))).toBe(true);
    },
  );

  it('are routes of the REST interface', () => {
    const routes = operationsOf(document).map(({ name }) => name);
    expect(Object.values(operations).filter((route) => !routes.includes(route))).toEqual([]);
  });
});
