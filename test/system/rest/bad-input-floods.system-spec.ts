import { describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { Board } from '../../support/board-fixture.js';
import { asOwner, fetchAsOwner } from '../../support/local-tokens.js';

const board = Board.use();

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
const flood = JSON.stringify(keys(300_000));
/** As many keys as a body may have. */
const large = JSON.stringify(keys(20_000));

describe('a body of 300 000 keys', () => {
  it('is refused unread, whichever route it is sent to', async () => {
    const { project_id } = await board.project();
    const context = { toolset: 'kanban', argument: 'executor', value: '', context: keys(300_000) };
    for (const [method, path, body] of [
      ['POST', '/api/workers', flood],
      ['PUT', `/api/projects/${project_id}`, flood],
      ['POST', '/api/toolsets/kanban/tools/list_projects', flood],
      ['POST', '/api/toolsets/kanban/completions', context],
    ] as const) {
      const { status, details } = await board.rest.refuses('invalid_argument', method, path, body);
      expect({ status, fields: details.fields as unknown }).toEqual({
        status: 400,
        fields: [{ field: 'body' }],
      });
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'ping', params: keys(300_000) };
    const answer = await fetchAsOwner(`${board.server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'invalid_argument']);
  });

  it('delays nobody: an attempt goes on and is read beside twenty of them', async () => {
    const { project_id } = await board.project();
    const { attempt_id } = await board.attempt(project_id, 'for n in 1 2 3; do echo $n; sleep 0.3; done');
    const floods = Array.from({ length: 20 }, () => board.rest.send('POST', '/api/workers', flood));
    await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}`);
    expect((await Promise.all(floods)).map(({ status }) => status)).toEqual(Array<number>(20).fill(400));
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ state: 'completed' });
  });
});

describe('a body that never ends', () => {
  it.each(['/api/workers', '/mcp'])('is refused on its way to %s, once it holds too much', async (path) => {
    const url = `${board.server.url}${path}`;
    const headers = { 'content-type': 'application/json', 'content-length': String(4_000_000) };
    const answer = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: asOwner(url, headers) }, (received) => {
        let text = '';
        received
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => {
            resolve({ status: received.statusCode, text });
            sent.destroy();
          });
      });
      sent.on('error', reject).write(flood.slice(0, 1_000_000));
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('body must hold at most 20000 values');
  });
});

describe('a body of many unknown keys', () => {
  it('is refused by its first names and the number of the others', async () => {
    for (const path of ['/api/workers', '/api/projects', '/api/toolsets/kanban/tools/list_projects']) {
      const { status, details, message } = await board.rest.refuses('invalid_argument', 'POST', path, large);
      expect({ status, named: (details.fields as unknown[]).length, more: details.more as number }).toEqual({
        status: 400,
        named: 20,
        more: 19_980,
      });
      expect(message).toContain('k0 is not a field; known fields: ');
      expect(message).toMatch(/; and 19980 more\.$/);
    }
  });

  it('is refused by the name of the field where it is a free record', async () => {
    const { details } = await board.rest.refuses('invalid_argument', 'POST', '/api/toolsets/kanban/completions', {
      toolset: 'kanban',
      argument: 'executor',
      value: '',
      context: keys(15_000),
    });
    expect(details.fields).toEqual([{ field: 'context' }]);
  });
});
