import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { expectAccepted, sortedJson } from '../support/accepted-file.js';
import { readApiDocument } from '../support/api-document.js';
import { operationsOf, routeViolations } from '../support/api-rules.js';
import { bodyExampleViolations, propertyViolations } from '../support/api-schema-rules.js';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await readApiDocument();
});

describe('the OpenAPI document', () => {
  it('is the one that was accepted', () => {
    expectAccepted('test/contract/snapshots/openapi.json', sortedJson(document));
  });

  it('gives every route a summary, an output type, described parameters and its refusals', () => {
    expect(operationsOf(document).length).toBeGreaterThan(25);
    expect(routeViolations(document)).toEqual([]);
  });

  it('describes every property, with an example that fits', () => {
    expect(propertyViolations(document)).toEqual([]);
  });

  it('offers bodies to try that its own schemas accept', () => {
    expect(bodyExampleViolations(document)).toEqual([]);
  });

  it('names only schemas that exist', () => {
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((name) => !(name! in document.components!.schemas!))).toEqual([]);
  });
});
