import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toolDefinitionOf } from '../../src/mcp/tool.js';
import { PROJECT_ROLES, SCOPES } from '../../src/platform/access/scopes.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { readApiDocument } from '../support/api-document.js';
import { type Operation, operationsOf } from '../support/api-rules.js';
import type { Json } from '../support/mcp-client.js';

let operations: Operation[];
beforeAll(async () => {
  const document: OpenAPIObject = await readApiDocument();
  operations = operationsOf(document).filter(({ path }) => path.startsWith('/api/'));
});

const scopesOf = ({ spec }: Operation): string[] | undefined => (spec.security as Json[] | undefined)?.[0]?.bearer;

describe('what an operation asks of its caller', () => {
  it('stands in the document, for every route', () => {
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.filter((operation) => scopesOf(operation) === undefined).map(({ name }) => name)).toEqual([]);
    const unknown = operations.filter(
      (operation) => !scopesOf(operation)!.every((scope) => SCOPES.some((s) => s === scope)),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  it('is nothing only where each call says so itself, or asks who it is', () => {
    const free = operations
      .filter((operation) => scopesOf(operation)!.length === 0)
      .map(({ spec }) => spec.operationId);
    expect(free.sort()).toEqual(['callTool', 'getMe', 'getOffer']);
  });

  it('has a role beside each scope', () => {
    const asking = operations.filter((operation) => scopesOf(operation)!.length > 0);
    expect(
      asking.filter(({ spec }) => !PROJECT_ROLES.includes(spec['x-project-role'])).map(({ name }) => name),
    ).toEqual([]);
  });

  it('is read for every tool that reads, and for no tool that changes something', () => {
    const tools = toolsets.flatMap((toolset) => toolset.tools.map(toolDefinitionOf));
    expect(
      tools.filter(({ effect, scope }) => (effect === 'read') !== (scope === 'read')).map(({ name }) => name),
    ).toEqual([]);
  });
});
