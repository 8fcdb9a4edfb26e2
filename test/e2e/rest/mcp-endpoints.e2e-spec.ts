import { beforeAll, describe, expect, it } from '@jest/globals';
import { toolDefinitionOf } from '../../../src/mcp/tool.js';
import { schemaProfiles } from '../../../src/platform/fields/schema-profiles.js';
import { toolsets } from '../../../src/toolsets/toolsets.js';
import { givenEndedAttempt, givenProject, type Project } from '../../support/board.js';
import { runConformance } from '../../support/conformance.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';
import { type RpcAnswer, sendLegacy, sendModern } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
let attempt_id: string;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
  attempt_id = (await givenEndedAttempt(client, project.project_id)).attempt_id as string;
});

const json = ({ text }: RpcAnswer) => JSON.parse(text) as Json;
const mcp = (query: string) => sendLegacy(`${server.url}/mcp${query}`, 'tools/list');
const toolNames = async (query: string, path = '/mcp') =>
  (json(await sendLegacy(`${server.url}${path}${query}`, 'tools/list')).result.tools as Json[]).map(
    ({ name }) => name as string,
  );

describe.each(toolsets.map(({ id, path, tools }) => [id, path, tools.map(toolDefinitionOf)] as const))(
  'the endpoint of %s at %s',
  (_, path, tools) => {
    const listed = tools
      .filter(({ needsAttempt, needsForge, needsChecks }) => !needsAttempt && needsForge !== true && !needsChecks)
      .map(({ name }) => name);

    it('has a card, which anybody reads and the catalogue names', async () => {
      const { entries } = (await (await fetch(`${server.url}/.well-known/ai-catalog.json`)).json()) as Json;
      const url = `${server.url}${path}/server-card`;
      expect(entries).toContainEqual({
        identifier: expect.stringMatching(/^urn:air:[\w.]+:\w+$/),
        displayName: expect.stringContaining('Taskyard'),
        type: 'application/mcp-server-card+json',
        url,
      });
      const answer = await fetch(url, { headers: { origin: 'https://elsewhere.example' } });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(answer.headers.get('content-type')).toContain('application/mcp-server-card+json');
      const card = (await answer.json()) as Json;
      expect(card).toMatchObject({
        name: expect.stringMatching(/^[\w.-]+\/\w+$/),
        remotes: [{ type: 'streamable-http', url: `${server.url}${path}` }],
      });
      expect((card.description as string).length).toBeLessThanOrEqual(100);
      const opened = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tests', version: '1' } };
      const { serverInfo } = json(await sendLegacy(card.remotes[0].url as string, 'initialize', opened)).result as Json;
      expect(card.version).toBe(serverInfo.version);
      expect(card.remotes[0].supportedProtocolVersions).toContain('2025-11-25');
    });

    it('lists the same tools in both eras of the protocol, and decorates them in the newer one', async () => {
      const url = `${server.url}${path}`;
      const initialized = json(
        await sendLegacy(url, 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'tests', version: '1' },
        }),
      ).result as Json;
      const legacy = json(await sendLegacy(url, 'tools/list')).result as Json;
      const discovered = json(await sendModern(url, 'server/discover')).result as Json;
      const modern = json(await sendModern(url, 'tools/list')).result as Json;
      expect(initialized).toMatchObject({
        protocolVersion: '2025-11-25',
        serverInfo: { name: 'taskyard' },
        instructions: discovered.instructions,
      });
      expect(legacy.tools.map(({ name }: Json) => name)).toEqual(listed);
      expect(modern).toMatchObject({
        tools: legacy.tools,
        resultType: 'complete',
        ttlMs: expect.any(Number),
        cacheScope: 'private',
      });
      expect(legacy).not.toHaveProperty('resultType');
    });

    it('lists only what changes nothing with ?readonly=true, and calls nothing else', async () => {
      const readonly = tools
        .filter(({ name, effect }) => effect === 'read' && listed.includes(name))
        .map(({ name }) => name);
      expect(await toolNames('?readonly=true', path)).toEqual(readonly);
      expect(await toolNames('?readonly=false', path)).toEqual(listed);
      const writing = tools.find(({ effect }) => effect !== 'read')!.name;
      expect(
        json(await sendLegacy(`${server.url}${path}?readonly=true`, 'tools/call', { name: writing, arguments: {} })),
      ).toMatchObject({ error: { code: -32602, message: expect.stringContaining(writing) } });
    });

    it('serves POST alone', async () => {
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const answer = await fetchAsOwner(`${server.url}${path}`, { method, headers: { accept: 'text/event-stream' } });
        expect([method, answer.status, answer.headers.get('allow'), ((await answer.json()) as Json).code]).toEqual([
          method,
          405,
          'POST',
          'method_not_allowed',
        ]);
      }
    });
  },
);

describe('the options in the address', () => {
  it('choose how unions are published; the default is the portable form', async () => {
    const followUp = async (query: string) =>
      (json(await mcp(query)).result.tools as Json[]).find(({ name }) => name === 'follow_up')!.inputSchema as Json;
    const [portable, oneof, flat] = (await Promise.all(
      schemaProfiles.map((profile) => followUp(`?schema=${profile}`)),
    )) as [Json, Json, Json];
    expect(await followUp('')).toEqual(portable);
    expect([portable.then.oneOf.length, portable.oneOf]).toEqual([4, undefined]);
    expect([oneof.oneOf.length, oneof.then]).toEqual([4, undefined]);
    expect(Object.keys(flat).filter((key) => ['oneOf', 'anyOf', 'allOf', 'if', 'then'].includes(key))).toEqual([]);
    expect(Object.keys(flat.properties as Json)).toEqual(Object.keys(portable.properties as Json));
    expect(flat.properties.prompt.description).toContain('Required when action is send or queue');
  });

  it.each([
    ['an unknown profile', '?schema=strict', 'schema_profile_unknown', 'portable, oneof, flat'],
    ['an empty profile', '?schema=', 'schema_profile_unknown', 'portable, oneof, flat'],
    ['a flag that is none', '?readonly=yes', 'invalid_argument', 'true, false'],
    ['an unknown option', '?toolset=kanban', 'invalid_argument', 'attempt_id, project_id, readonly, schema'],
    ['an option twice', '?schema=flat&schema=oneof', 'invalid_argument', 'schema'],
    ['a malformed attempt', '?attempt_id=latest', 'invalid_argument', 'UUID'],
    ['an empty attempt', '?attempt_id=', 'invalid_argument', 'UUID'],
  ])('are refused when there is %s, with what is known', async (_, query, code, known) => {
    const answer = await mcp(query);
    expect([answer.status, json(answer).code]).toEqual([400, code]);
    expect(`${json(answer).message} ${json(answer).hint}`).toContain(known);
  });

  it('bind the endpoint to an attempt that is there', async () => {
    const bound = await server.mcp(`?attempt_id=${attempt_id}`);
    expect(await bound.call('get_context')).toMatchObject({
      attempt_id,
      project_id: project.project_id,
      workspace_repos: [{ repo_id: project.repo_id, repo_name: 'web', target_branch: 'main' }],
    });
    expect(await toolNames('')).not.toContain('get_context');
    expect(await toolNames(`?attempt_id=${attempt_id}&readonly=true&schema=flat`)).toContain('get_context');
    expect(
      json(await sendLegacy(`${server.url}/mcp`, 'tools/call', { name: 'get_context', arguments: {} })),
    ).toMatchObject({ error: { code: -32602 } });
    const unknown = await mcp(`?attempt_id=${nowhere}`);
    expect([unknown.status, json(unknown).code]).toEqual([404, 'attempt_not_found']);
    expect(json(unknown).hint).toContain('list_task_attempts');
  });
});

describe('an answer to a tool call', () => {
  it('is the same in both eras: structured, and as text', async () => {
    const call = { name: 'list_repos', arguments: { project_id: project.project_id } };
    const legacy = json(await sendLegacy(`${server.url}/mcp`, 'tools/call', call)).result as Json;
    const modern = json(await sendModern(`${server.url}/mcp`, 'tools/call', call)).result as Json;
    expect(JSON.parse(legacy.content[0].text as string)).toEqual(legacy.structuredContent);
    expect(modern).toMatchObject({
      structuredContent: legacy.structuredContent,
      content: legacy.content,
      resultType: 'complete',
    });
  });

  it('that is refused is a result with the envelope; an unknown tool is a protocol error', async () => {
    const refused = json(
      await sendModern(`${server.url}/mcp`, 'tools/call', { name: 'get_task', arguments: { task_id: nowhere } }),
    ).result as Json;
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { code: 'task_not_found', retryable: false, details: { task_id: nowhere } },
    });
    expect(refused.structuredContent.hint).toContain('list_tasks');
    expect(
      json(await sendLegacy(`${server.url}/mcp`, 'tools/call', { name: 'get_tasks', arguments: {} })).error,
    ).toMatchObject({ code: -32602, message: expect.stringContaining('get_task') });
  });
});

describe('completions', () => {
  const complete = async (name: string, value: string, chosen: Record<string, string> = {}) =>
    (
      await client.sdk.complete({
        ref: { type: 'ref/prompt', name: 'work_on_task' },
        argument: { name, value },
        context: { arguments: chosen },
      })
    ).completion.values;

  it('come from what is there: executors, statuses, branches', async () => {
    expect(await complete('executor', 'sh')).toEqual(['SHELL']);
    expect(await complete('status', 'in')).toEqual(['inprogress', 'inreview']);
    expect(await complete('target_branch', 'ma', { project_id: project.project_id, repo_id: project.repo_id })).toEqual(
      ['main'],
    );
    expect(await complete('variant', '', { executor: 'SHELL' })).toEqual([]);
    expect(await complete('task_id', '')).toEqual([]);
  });

  it.each([
    ['abc', 'def'],
    ['', ''],
    ['00000000-0000-7000-8000-000000000000', '00000000-0000-7000-8000-000000000000'],
  ])('of what is not known (%s, %s) are nothing, and no error', async (project_id, repo_id) => {
    expect(await complete('target_branch', '', { project_id, repo_id })).toEqual([]);
    expect(await complete('target_branch', '', { project_id: project.project_id, repo_id })).toEqual([]);
  });
});

describe('the conformance suite of the protocol', () => {
  const open = TestServer.use({ ISOLATION: 'none' }); // the suite sends no token
  it('passes every scenario that a domain server can pass', async () => {
    const { exitCode, output, scenarios } = await runConformance(`${open.url}/mcp`);
    expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
    expect(Object.values(scenarios).filter((outcome) => outcome === 'SUCCESS').length).toBeGreaterThanOrEqual(10);
  });
});
