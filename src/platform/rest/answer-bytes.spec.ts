import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { answerInBytes } from './answer-bytes.js';

describe('answers in bytes', () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    server = fastify();
    answerInBytes(server);
    server.post('/same', ({ body }) => body);
    server.get('/stream', (_, reply) => reply.send(Readable.from(['a', 'ß'])));
    server.get('/none', (_, reply) => reply.code(204).send());
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  const url = (path: string): string => `http://127.0.0.1:${(server.server.address() as { port: number }).port}${path}`;

  it.each([
    ['ASCII', 'plain'],
    ['Latin', 'Größe'],
    ['Japanese', '日本'],
    ['emoji', '👩‍💻'],
    ['much ASCII', 'x'.repeat(200_000)],
    ['one other letter in much ASCII', `${'x'.repeat(200_000)}é`],
  ])('are whole and as long as they say: %s', async (_, text) => {
    const response = await fetch(url('/same'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString()).toBe(JSON.stringify({ text }));
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('leave streams and empty answers alone', async () => {
    expect(await (await fetch(url('/stream'))).text()).toBe('aß');
    expect((await fetch(url('/none'))).status).toBe(204);
  });
});
