import { describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { call } from '../support/plain-http.js';

const TOKEN = 'the-token-of-the-server-of-this-test';

describe('S19', () => {
  const ground = AttackGround.use({ TASKFLOW_SERVICE_TOKEN: TOKEN });
  const guess = (token: string, headers = {}) =>
    call(`${ground.url}/api/projects`, { authorization: `Bearer ${token}`, ...headers });

  it('guessing a token goes on for ever, behind made-up addresses', async () => {
    const seen: number[] = [];
    for (let at = 0; at < 21; at += 1)
      seen.push(
        (
          await guess(at % 2 ? `guess-${at}` : `ty_run_${String(at).padStart(43, 'A')}`, {
            'x-forwarded-for': `192.0.2.${at}`,
          })
        ).status,
      );
    expect(seen).toEqual([...Array<number>(20).fill(401), 429]);
    expect(ground.server.output).toContain('authentication failed');
  });

  it('S9: wrong tokens lock a right one out', async () => {
    expect((await guess('one-more')).status).toBe(429);
    expect((await guess(TOKEN)).status).toBe(200);
  });

  it('a short token beyond loopback', async () => {
    const { code, output } = await ground.runOther({ HOST: '0.0.0.0', TASKFLOW_SERVICE_TOKEN: 'short' });
    expect([code, output]).toEqual([1, expect.stringContaining('TASKFLOW_SERVICE_TOKEN')]);
  });

  it('no token beyond loopback', async () => {
    const { code, output } = await ground.runOther({ HOST: '0.0.0.0', TASKFLOW_SERVICE_TOKEN: '' });
    expect([code, output]).toEqual([1, expect.stringContaining('TASKFLOW_SERVICE_TOKEN')]);
  });
});
