import { describe, expect, it } from '@jest/globals';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';

interface Answer {
  status: number;
  headers: Headers;
  code: string;
}

async function call(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, code: ((await answer.json()) as Answer).code };
}

describe('S19: guessing', () => {
  const token = 'a-long-random-token';
  const settings = { TASKFLOW_SERVICE_TOKEN: token };
  const statuses = async (url: string, headers: (index: number) => Record<string, string>, count: number) => {
    const seen: number[] = [];
    for (let index = 0; index < count; index += 1) seen.push((await call(url, headers(index))).status);
    return seen;
  };
  const twentyRefused = [...Array<number>(20).fill(401), 429];

  it.each([
    ['of the server', (index: number) => `wrong-${index}`],
    ['of a run', (index: number) => `ty_run_${String(index).padStart(43, 'A')}`],
  ])('a token %s ends after 20 times a minute, for that address alone', async (_, guess) => {
    const server = await TestServer.start({ ...settings, TRUSTED_PROXIES: '127.0.0.0/8' });
    try {
      const url = `${server.url}/api/projects`;
      const from = (address: string, given: string) => ({
        'x-forwarded-for': address,
        authorization: `Bearer ${given}`,
      });
      expect(await statuses(url, (index) => from('192.0.2.1', guess(index)), 21)).toEqual(twentyRefused);
      const limited = await call(url, from('192.0.2.1', guess(0)));
      expect([limited.status, limited.code, limited.headers.get('retry-after')]).toEqual([
        429,
        'rate_limited',
        expect.stringMatching(/^\d+$/),
      ]);
      expect((await call(url, from('192.0.2.2', guess(0)))).status).toBe(401);
    } finally {
      await server.stop();
    }
  });

  it('S9: never locks out a right token of the same address, whatever its kind', async () => {
    const server = await TestServer.start(settings);
    try {
      const url = `${server.url}/api/projects`;
      const bearer = (given: string) => ({ authorization: `Bearer ${given}` });
      const admin = new RestClient(server.url, bearer(token));
      const fields = { name: 'nightly', scopes: ['read'] };
      const made = (await admin.answers(201, 'POST', '/api/tokens', fields)).token as string;
      expect(await statuses(url, (index) => bearer(`wrong-${index}`), 30)).toEqual([
        ...twentyRefused,
        ...Array<number>(9).fill(429),
      ]);
      expect([(await call(url, bearer(made))).status, (await call(url, bearer(token))).status]).toEqual([200, 200]);
      const signIn = await admin.post('/ui/session', { token: made }, { ...bearer(token), origin: server.url });
      expect(signIn.status).toBe(200);
    } finally {
      await server.stop();
    }
  });

  it('hides behind no X-Forwarded-For of its own', async () => {
    const server = await TestServer.start(settings);
    try {
      const guess = (index: number) => ({ 'x-forwarded-for': `192.0.2.${index}`, authorization: `Bearer ${index}` });
      expect(await statuses(`${server.url}/api/projects`, guess, 21)).toEqual(twentyRefused);
    } finally {
      await server.stop();
    }
  });

  it('is no way to lock out the owner of a server without a token', async () => {
    const server = await TestServer.start({ ISOLATION: 'none' });
    try {
      const url = `${server.url}/api/projects`;
      const guess = () => ({ authorization: `Bearer ty_run_${'A'.repeat(43)}` });
      expect(await statuses(url, guess, 21)).toEqual(twentyRefused);
      expect((await call(url)).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
