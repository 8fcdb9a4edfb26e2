import { describe, expect, it } from '@jest/globals';
import { call, codeOf } from '../../support/plain-http.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

describe('RATE_LIMIT_PER_MINUTE', () => {
  it('is that of one caller, and leave the others of its address theirs', async () => {
    const secret = 'a-token-that-makes-another';
    const server = await TestServer.start({ TASKFLOW_SERVICE_TOKEN: secret, RATE_LIMIT_PER_MINUTE: '3' });
    try {
      const rest = new RestClient(server.url, { authorization: `Bearer ${secret}` });
      const { token } = await rest.answers(201, 'POST', '/api/tokens', { name: 'another', scopes: ['read'] });
      const statusOf = async (bearer: string): Promise<number> =>
        (await call(`${server.url}/api/projects`, { authorization: `Bearer ${bearer}` })).status;
      expect([await statusOf(secret), await statusOf(secret), await statusOf(secret)]).toEqual([200, 200, 429]);
      expect(await statusOf(token as string)).toBe(200);
    } finally {
      await server.stop();
    }
  });

  it('is that of one address, but not its probes', async () => {
    const server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '5' });
    try {
      for (let left = 5; left > 0; left -= 1) expect((await call(`${server.url}/api/projects`)).status).toBe(200);
      for (const path of ['/api/projects', '/mcp']) {
        const limited = await call(
          `${server.url}${path}`,
          { 'content-type': 'application/json' },
          path === '/mcp' ? 'POST' : 'GET',
          path === '/mcp' ? '{}' : undefined,
        );
        expect([limited.status, codeOf(limited)]).toEqual([429, 'rate_limited']);
        expect(JSON.parse(limited.body)).toMatchObject({
          retryable: true,
          hint: expect.stringMatching(/^Wait \d+ seconds/),
        });
        expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await call(`${server.url}/health/ready`)).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
