import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate } from '../../support/board.js';
import { fetchAsOwner } from '../../support/local-tokens.js';
import { rpc } from '../../support/sample-app.js';

const board = Board.share();
let attempt_id: string;
let open: () => void;
beforeAll(async () => {
  const { project_id } = await board.project();
  const { wait, open: go } = gate(board.server);
  open = go;
  attempt_id = (await board.attempt(project_id, wait)).attempt_id as string;
  await board.kanban.call('get_attempt_status', { attempt_id });
});

const post = (args: object, { token, accept = 'application/json, text/event-stream' }: Record<string, string>) =>
  fetchAsOwner(`${board.server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(
      rpc('tools/call', {
        name: 'get_attempt_status',
        arguments: args,
        ...(token === undefined ? {} : { _meta: { progressToken: token } }),
      }),
    ),
  });

describe('a call that waits, whose client asked for progress', () => {
  it('hears of it, so that a timeout shorter than the wait begins anew', async () => {
    const heard: unknown[] = [];
    const call = { name: 'get_attempt_status', arguments: { attempt_id, wait_ms: 9_000 } };
    const options = { timeout: 7_000, resetTimeoutOnProgress: true, onprogress: (one: unknown) => heard.push(one) };
    const { structuredContent } = await board.kanban.sdk.callTool(call, undefined, options);
    expect(structuredContent).toMatchObject({ attempt_id, state: 'running' });
    expect(heard.slice(0, 2)).toEqual([
      { progress: 2, total: 9, message: 'Waiting for up to 9 s.' },
      { progress: 4, total: 9, message: 'Waiting for up to 9 s.' },
    ]);
  });

  it.each([
    ['waits', { wait_ms: 100 }, { token: 'one' }, 'text/event-stream'],
    ['does not wait', {}, { token: 'one' }, 'application/json'],
    ['asked for no progress', { wait_ms: 100 }, {}, 'application/json'],
    ['reads no streams', { wait_ms: 100 }, { token: 'one', accept: 'application/json' }, 'application/json'],
    ['is refused', { wait_ms: 100, attempt_id: 'x' }, { token: 'one' }, 'text/event-stream'],
  ])('is answered in the form for one that %s', async (_, args, headers, type) => {
    const answer = await post({ attempt_id, ...args }, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(await answer.text()).toContain(`"id":1`);
  });

  it('is told of the end', async () => {
    const answering = post({ attempt_id, wait_ms: 30_000 }, { token: 'end' });
    open();
    const text = await (await answering).text();
    expect(text).toContain('"state":"completed"');
  });
});
