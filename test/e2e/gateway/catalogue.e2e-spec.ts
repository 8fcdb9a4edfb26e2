import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schemaProfiles } from '../../../src/platform/fields/schema-profiles.js';
import { toolsets } from '../../../src/toolsets/toolsets.js';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { TestGateway } from '../../support/gateway.js';
import { sendLegacy, sendModern } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let gateway: TestGateway;
let attempt_id: string;
beforeAll(async () => {
  server = await TestServer.start();
  gateway = await TestGateway.start(server.url);
  const { project_id } = await givenProject(server);
  attempt_id = (await givenEndedAttempt(await server.mcp(), project_id)).attempt_id as string;
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

/** What the server and the gateway answer. */
const fromBoth = <T>(ask: (url: string) => Promise<T>): Promise<[T, T]> =>
  Promise.all([ask(server.url), ask(gateway.url)]);

const eras = { legacy: sendLegacy, modern: sendModern };
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const openings = { legacy: 'initialize', modern: 'server/discover' } as const;
const views = schemaProfiles.flatMap((schema) =>
  ['', '&readonly=true'].flatMap((readonly) => [false, true].map((bound) => ({ schema, readonly, bound }))),
);

describe.each(toolsets.map(({ id, path }) => [id, path]))('the gateway shows the toolset %s', (_, path) => {
  it.each(Object.keys(eras) as (keyof typeof eras)[])(
    'as the server does, byte for byte, in the %s era',
    async (era) => {
      for (const { schema, readonly, bound } of views) {
        const query = `?schema=${schema}${readonly}${bound ? `&attempt_id=${attempt_id}` : ''}`;
        for (const method of [...lists, openings[era]]) {
          const [direct, forwarded] = await fromBoth((url) =>
            eras[era](`${url}${path}${query}`, method, { protocolVersion: '2025-11-25' }),
          );
          expect(direct.text).toContain('"result":{');
          expect([method, query, forwarded.status, forwarded.text]).toEqual([
            method,
            query,
            direct.status,
            direct.text,
          ]);
        }
      }
    },
  );

  it('and its resources', async () => {
    const listed = JSON.parse((await sendLegacy(gateway.url + path, 'resources/list')).text) as {
      result: { resources: { uri: string }[] };
    };
    for (const { uri } of listed.result.resources) {
      const [direct, forwarded] = await fromBoth((url) => sendLegacy(url + path, 'resources/read', { uri }));
      expect(forwarded.text).toBe(direct.text);
    }
    expect(listed.result.resources.length).toBeGreaterThan(0);
  });
});
