import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { RestClient } from '../../support/rest-client.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

const SECRET = 'the-one-token-that-may-do-everything';
const LIMIT = 200;
const SETTINGS = { TASKFLOW_SERVICE_TOKEN: SECRET, CLUSTER_SECRET, RATE_LIMIT_PER_MINUTE: String(LIMIT) };

describe('the rate limit of two replicas', () => {
  const first = TestServer.use(SETTINGS);
  let second: TestServer;
  beforeAll(async () => {
    second = await TestServer.start({ ...SETTINGS, ROLE: 'api' }, first.database);
  });
  afterAll(() => second.stop({ keepDatabase: true }));

  const by = (token: string, { url }: TestServer) => new RestClient(url, { authorization: `Bearer ${token}` });
  const givenToken = async (): Promise<string> =>
    (await by(SECRET, first).answers(201, 'POST', '/api/tokens', { name: 'busy', scopes: ['read'] })).token as string;
  const untilShareIs = (share: number, server: TestServer) =>
    eventually(`a share of ${share}`, async () => {
      const { headers } = await by(SECRET, server).get('/api/me');
      return headers.get('x-ratelimit-limit') === String(share);
    });
  /** Calls until one is refused. @returns how many were not */
  const spend = async (token: string, server: TestServer): Promise<number> => {
    for (let passed = 0; ; passed += 1) {
      const { status } = await by(token, server).get('/api/me');
      if (status === 429) return passed;
      expect(status).toBe(200);
    }
  };

  it('is one for both together, and goes back to the one that is left', async () => {
    for (const each of [first, second]) await untilShareIs(LIMIT / 2, each);
    const token = await givenToken();
    const [here, there] = [await spend(token, first), await spend(token, second)];
    expect(here + there).toBe(LIMIT);
    await second.close();
    await untilShareIs(LIMIT, first);
    const refused = 1; // which counts, too
    expect(here + refused + (await spend(token, first))).toBe(LIMIT);
  });

  it('is not exceeded by one that starts beside another', async () => {
    await second.restart({ ...SETTINGS, ROLE: 'api' });
    const token = await givenToken();
    expect(await spend(token, second)).toBe(LIMIT / 2);
  });
});
