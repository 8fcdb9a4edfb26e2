import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT_ROLES } from '../../../src/platform/access/scopes.js';
import { schemaProfiles } from '../../../src/platform/fields/schema-profiles.js';
import { Board } from '../../support/board-fixture.js';
import { ForgeGround } from '../../support/forge/forge-ground.js';
import { TestGateway } from '../../support/gateway.js';
import { type Json, McpClient } from '../../support/mcp-client.js';

const ofPullRequests = ['open_pull_request', 'get_pull_request', 'merge_pull_request'];
const ofDelivery = ['merge_attempt', 'push_attempt'];

async function toolsAt(url: string, headers: Record<string, string> = {}): Promise<Map<string, Json>> {
  const client = await McpClient.connect(url, headers);
  const { tools } = await client.sdk.listTools();
  await client.close();
  return new Map(tools.map((tool) => [tool.name, tool as Json]));
}
const names = (tools: Map<string, Json>, of: readonly string[]) => of.filter((name) => tools.has(name));
const forgeWords = /include_untrusted|pull_request/;

describe('without a forge', () => {
  const board = Board.share();

  it.each(schemaProfiles)('no tool and no argument for pull requests is listed (%s)', async (profile) => {
    const tools = await toolsAt(`${board.server.url}/mcp?schema=${profile}`);
    expect(names(tools, ofPullRequests)).toEqual([]);
    const { description, inputSchema } = tools.get('follow_up')!;
    expect(JSON.stringify([description, inputSchema])).not.toMatch(forgeWords);
    expect(JSON.stringify(inputSchema)).toContain('"comment_ids"'); // people comment without a forge, too
    expect(JSON.stringify(inputSchema)).toContain('"resolve"');
  });

  it('a call is refused all the same with what a person has to configure', async () => {
    const { project_id } = await board.project();
    const { attempt_id } = await board.endedAttempt(project_id, 'echo new > new.txt', { executor: 'DEMO' });
    const calls: [string, object][] = [
      ['open_pull_request', { attempt_id, action: 'open' }],
      ['get_pull_request', { attempt_id }],
      ['merge_pull_request', { attempt_id, action: 'merge', expected_head: 'a'.repeat(40) }],
    ];
    for (const [tool, input] of calls) {
      const { code, hint } = await board.kanban.refused(tool, input);
      expect([tool, code, hint]).toEqual([tool, 'forge_unconfigured', expect.stringContaining('FORGES_FILE')]);
    }
  });
});

describe('with a forge', () => {
  const ground = ForgeGround.use('gitea');
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(ground.board.server.url);
  });
  afterAll(() => gateway.stop());

  it('they are, at the server and at a gateway alike', async () => {
    const direct = await toolsAt(`${ground.board.server.url}/mcp`);
    expect(names(direct, ofPullRequests)).toEqual(ofPullRequests);
    expect(direct.get('follow_up')!.inputSchema.properties).toHaveProperty('include_untrusted');
    expect(await toolsAt(`${gateway.url}/mcp`)).toEqual(direct);
  });
});

describe('tools that deliver', () => {
  const board = Board.use();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(board.server.url);
    const project_id = await board.bareProject('owner-user');
    for (const role of PROJECT_ROLES.filter((one) => one !== 'owner')) {
      await board.worker(`@${role}`, 'human', `${role}-user`);
      await board.member(project_id, `@${role}`, role);
    }
  });
  afterAll(() => gateway.stop());

  it.each([
    ['viewer', []],
    ['member', []],
    ['maintainer', ofDelivery],
    ['owner', ofDelivery],
  ])('are listed for a %s of some project: %j', async (role, listed) => {
    const headers = { 'x-user-id': `${role}-user` };
    const direct = await toolsAt(`${board.server.url}/mcp`, headers);
    expect(names(direct, ofDelivery)).toEqual(listed);
    expect(names(direct, ['follow_up', 'get_attempt_delivery'])).toHaveLength(2);
    expect(await toolsAt(`${gateway.url}/mcp`, headers)).toEqual(direct);
  });

  it('are listed by the scopes of a token, and called without being listed they say what is missing', async () => {
    const scopes = ['read', 'write'];
    const { token } = await board.rest.does('POST', '/api/tokens', { name: 'narrow', scopes });
    const headers = { authorization: `Bearer ${String(token)}` };
    const listed = await toolsAt(`${gateway.url}/mcp`, headers);
    expect([listed.has('create_task'), listed.has('merge_attempt'), listed.has('follow_up')]).toEqual([
      true,
      false,
      false,
    ]);
    const client = await gateway.mcp('', headers);
    const refused = await client.refused('merge_attempt', { attempt_id: '0198c0de-0000-7000-8000-000000000001' });
    expect(refused.code).toBe('insufficient_scope');
  });
});
