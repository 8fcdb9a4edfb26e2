import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { expectAccepted, sortedJson } from '../support/accepted-file.js';
import { readApiDocument } from '../support/api-document.js';
import { type Operation, operationsOf, routeViolations } from '../support/api-rules.js';
import type { Json } from '../support/mcp-client.js';
import { bodyExampleViolations, propertyViolations } from '../support/api-schema-rules.js';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await readApiDocument();
});

const codesOf = ({ spec }: Operation): string[] =>
  Object.values(spec.responses as Json).flatMap((response: Json) =>
    Object.keys((response.content?.['application/json']?.examples ?? {}) as object),
  );

describe('the OpenAPI document', () => {
  it('is the one that was accepted', () => {
    expectAccepted('test/contract/snapshots/openapi.json', sortedJson(document));
  });

  it('gives every route a summary, an output type, described parameters and its refusals', () => {
    expect(operationsOf(document).length).toBeGreaterThan(25);
    expect(routeViolations(document)).toEqual([]);
  });

  it('calls operations by what they do', () => {
    const ids = operationsOf(document).map(({ spec }) => spec.operationId as string);
    for (const id of ['startAttempt', 'followUpAttempt', 'readLog', 'listTasks']) expect(ids).toContain(id);
  });

  it('announces a full disk wherever something is written', () => {
    const writing = operationsOf(document).filter(({ method, path }) => method !== 'get' && path.startsWith('/api/'));
    expect(writing.filter((operation) => !codesOf(operation).includes('storage_full')).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each([
    ['GET /api/attempts/{attempt_id}/changes', ['branch_unknown', 'repo_invalid', 'repo_locked', 'storage_full']],
    ['GET /api/attempts/{attempt_id}/file', ['branch_unknown', 'repo_invalid', 'git_failed', 'storage_full']],
    ['POST /api/attempts/{attempt_id}/patch', ['branch_unknown', 'repo_invalid', 'workspace_lost']],
    ['POST /api/tasks/{task_id}/attempts', ['branch_unknown', 'git_failed']],
    ['POST /api/projects/{project_id}/repos', ['branch_unknown', 'repo_invalid', 'missing_target']],
  ])('announces of %s what a repository can be refused for', (name, codes) => {
    const operation = operationsOf(document).find((one) => one.name === name);
    expect(operation && codesOf(operation)).toEqual(expect.arrayContaining(codes));
  });

  it('describes every property, with an example that fits', () => {
    expect(propertyViolations(document)).toEqual([]);
  });

  it('offers bodies to try that its own schemas accept', () => {
    expect(bodyExampleViolations(document)).toEqual([]);
  });

  it('names only schemas that exist', () => {
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((name) => !(name in document.components!.schemas!))).toEqual([]);
  });
});
