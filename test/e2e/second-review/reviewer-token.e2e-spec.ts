import { beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedDocument } from '../../support/accepted-file.js';
import { routeAttacks } from '../../support/attack-calls.js';
import { eventually } from '../../support/eventually.js';
import { asOwner } from '../../support/local-tokens.js';
import { onlyWith } from '../../support/machine.js';
import type { Json } from '../../support/mcp-client.js';
import { finding, SecondReviewGround, submit } from '../../support/second-review-ground.js';

interface Given {
  url: string;
  headers: Record<string, string>;
}

onlyWith('bubblewrap').describe('the token of a reviewer', () => {
  const ground = SecondReviewGround.use({ ISOLATION: 'bubblewrap', RUN_NETWORK: 'host' });
  let project_id: string;
  let attempt_id: string;
  let given: Given;

  const begin = async (...calls: [string, object?][]): Promise<void> => {
    ground.willCall([['wait', { gate: 'go' }], ...calls]);
    project_id = await ground.project();
    attempt_id = await ground.begin(project_id);
    await eventually('a reviewer', () => ground.notes('reviewer').length > 0);
    const [seen] = ground.notes('reviewer');
    const [{ url, headers }] = seen!.servers as [{ url: string; headers: { name: string; value: string }[] }];
    given = { url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  };
  const end = async (): Promise<void> => {
    ground.open('go');
    await ground.untilSettled(attempt_id);
  };
  const send = async (method: string, params: object = {}, url = given.url, headers = given.headers): Promise<Json> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return { status: answer.status, ...((await answer.json()) as Json) };
  };
  const owner = (): Record<string, string> => asOwner(ground.server.url);
  const call = async (name: string, args: object = {}): Promise<Json> => {
    const { result, error } = await send('tools/call', { name, arguments: args });
    return (result?.structuredContent ?? error) as Json;
  };

  describe('of one review', () => {
    beforeAll(() => begin());

    it('lists what reads and the one tool that submits, and no other endpoint has that', async () => {
      const { result } = await send('tools/list');
      expect((result.tools as Json[]).map(({ name }) => name as string)).toEqual([
        ...['get_context', 'get_task', 'get_attempt_changes', 'get_attempt_patch', 'get_attempt_file', 'submit_review'],
      ]);
      expect((await call('get_attempt_changes')).files).toEqual(['web/work.txt']);
      for (const path of ['/mcp', '/mcp/taskflow', '/mcp/colibri', '/mcp/approvals']) {
        const { result: listed } = await send('tools/list', {}, `${ground.server.url}${path}`, owner());
        expect((listed.tools as Json[]).length).toBeGreaterThan(0);
        expect(JSON.stringify(listed)).not.toContain('submit_review');
      }
    });

    it('opens that endpoint alone: no route, no other dialect, no other attempt', async () => {
      const target = {
        ...{ project_id, attempt_id, task_id: attempt_id, id: attempt_id, session_id: attempt_id },
        ...{ execution_process_id: attempt_id, repo_id: attempt_id, toolset: 'review', name: 'submit_review' },
      };
      for (const { method, path, body } of routeAttacks(acceptedDocument())) {
        const sent = method === 'GET' ? {} : { body: JSON.stringify(body(target)) };
        const headers = { 'content-type': 'application/json', ...given.headers };
        const { status } = await fetch(`${ground.server.url}${path(target)}`, { method, headers, ...sent });
        expect([method, path(target as never), status]).toEqual([method, path(target), 401]);
      }
      for (const place of ['/mcp', '/mcp/taskflow', '/mcp/colibri', '/mcp/approvals'])
        expect(await send('tools/list', {}, `${ground.server.url}${place}?attempt_id=${attempt_id}`)).toMatchObject({
          status: 401,
        });
      expect(await send('tools/list', {}, `${ground.server.url}/mcp/review`)).toMatchObject({ status: 401 });
    });

    it('is not offered what moves work or asks somebody', async () => {
      const others: [tool: string, args: object][] = [
        ['follow_up', { attempt_id, action: 'queue', prompt: 'x' }],
        ['merge_attempt', { attempt_id }],
        ['push_attempt', { attempt_id }],
        ['open_pull_request', { attempt_id, title: 'x' }],
        ['update_task', { task_id: attempt_id, title: 'x' }],
        ['create_task', { project_id, title: 'x' }],
        ['start_task_attempt', { task_id: attempt_id, executor: 'AUTHOR' }],
        ['stop_attempt', { attempt_id }],
        ['request_host', { host: 'a.example', reason: 'x' }],
        ['answer_approval', { approval_id: attempt_id, decision: 'approve' }],
      ];
      for (const [tool, args] of others)
        expect([tool, JSON.stringify(await call(tool, args))]).toEqual([tool, expect.stringMatching(/tool_unknown/)]);
    });

    it('refuses everybody else at its endpoint', async () => {
      const url = `${ground.server.url}/mcp/review?attempt_id=${attempt_id}`;
      expect(await send('tools/list', {}, url, owner())).toMatchObject({ status: 403, code: 'forbidden' });
      const asTool = `/api/toolsets/review/tools/submit_review?attempt_id=${attempt_id}`;
      expect(await ground.rest.refused('POST', asTool, { verdict: 'approve', summary: 'x' })).toMatchObject({
        code: 'toolset_unknown',
      });
    });

    it('submits once, about lines of the diff, and ends with its run', async () => {
      const wrong = await call('submit_review', {
        ...{ verdict: 'request_changes', summary: 'x', findings: [finding({ path: 'web/src/work.txt' })] },
      });
      expect(wrong).toMatchObject({ code: 'invalid_argument' });
      expect(JSON.stringify(wrong)).toContain('web/src/work.txt is not in the diff; the nearest that is: web/work.txt');
      expect(
        await call('submit_review', { verdict: 'approve', summary: 'x', findings: [finding({ path: 'web/old.txt' })] }),
      ).toMatchObject({ code: 'invalid_argument' }); // it is there, and was not changed
      expect(
        await call('submit_review', { verdict: 'approve', summary: 'x', findings: [finding({ line: 99 })] }),
      ).toMatchObject({ code: 'invalid_argument' });
      const first = await call('submit_review', { verdict: 'approve', summary: 'Fine.', findings: [finding()] });
      expect(first).toMatchObject({ verdict: 'approve', comment_ids: [expect.any(String)] });
      expect(await call('submit_review', { verdict: 'request_changes', summary: 'No.' })).toMatchObject({
        code: 'review_submitted',
        retryable: false,
      });
      const { review } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
      expect(review).toMatchObject({ state: 'submitted', verdict: 'approve', summary: 'Fine.', executor: 'REVIEWER' });
      await end();
      expect(await send('tools/list')).toMatchObject({ status: 401 });
      expect(await ground.comments(attempt_id)).toHaveLength(1);
      const events = await ground.rest.does('GET', `/api/events?project_id=${project_id}`);
      expect((events.events as Json[]).filter(({ type }) => type === 'taskyard.review.submitted')).toMatchObject([
        { subject: attempt_id, data: { verdict: 'approve', findings: 1, executor: 'REVIEWER' } },
      ]);
    });
  });

  it('ends with a stop, which no follow-up and no verdict follows', async () => {
    await begin(submit('request_changes'));
    const { task_id } = await ground.kanban.call('get_attempt_status', { attempt_id });
    await ground.rest.refuses('task_running', 'DELETE', `/api/tasks/${task_id as string}`);
    await ground.kanban.call('stop_attempt', { attempt_id });
    await ground.untilSettled(attempt_id);
    ground.open('go');
    expect(await ground.runs(attempt_id)).toEqual(['codingagent completed', 'review killed']);
    const { review } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
    expect(review).toMatchObject({ state: 'errored', verdict: null });
    await ground.rest.does('DELETE', `/api/tasks/${task_id as string}`);
    const left = "SELECT FROM executions WHERE attempt_id = $1 AND status IN ('queued', 'running')";
    expect(await ground.server.query(left, [attempt_id])).toEqual([]);
    expect(ground.notes('author')).toHaveLength(1);
  });
});
