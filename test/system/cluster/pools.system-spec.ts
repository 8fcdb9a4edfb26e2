import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import type { Json } from '../../support/mcp-client.js';

describe('pools of runners', () => {
  const ground = ClusterGround.use({ MAX_CONCURRENT_PER_PROJECT: '2' });
  let java: string;
  let attempt_id: string;

  const waitingReason = async (): Promise<Json> =>
    (await ground.client.call('get_attempt_status', { attempt_id })).waiting_reason as Json;
  const waitingTurns = () => ground.api.query<Json>('SELECT pool, executor, waiting FROM waiting_turns');
  const labelsOfHome = async (): Promise<string[]> => {
    const [row] = await ground.api.query<{ labels: string[] }>(
      'SELECT r.labels FROM attempts a JOIN runners r ON r.runner_id = a.runner_id WHERE a.id = $1',
      [attempt_id],
    );
    return row!.labels;
  };

  beforeAll(async () => {
    await ground.runner('plain');
    ({ project_id: java } = await givenProject(ground.api, { files: { 'a.txt': 'a\n' } }));
    const updated = await ground.api.rest.does('PUT', `/api/projects/${java}`, {
      runs_on: ['java21', 'gpu', 'java21'],
    });
    expect(updated).toMatchObject({ runs_on: ['gpu', 'java21'] });
  });

  it('let a turn wait for its labels, say which is missing, and hold up nobody else', async () => {
    ({ attempt_id } = (await givenAttempt(ground.client, java, 'echo work > work.txt')) as { attempt_id: string });
    expect(await waitingReason()).toEqual({ code: 'no_runner_with_label', label: 'gpu' });
    expect(await waitingTurns()).toEqual([{ pool: 'gpu,java21', executor: 'SHELL', waiting: 1 }]);
    const metrics = await (await fetch(`${ground.api.url}/metrics`)).text();
    expect(metrics).toMatch(
      /^taskyard_waiting_turns\{pool="gpu,java21",executor="SHELL",reason="no_runner_with_label"\} 1$/m,
    );
    const other = await givenProject(ground.api);
    const free = await givenAttempt(ground.client, other.project_id, 'echo free');
    expect(await untilEnded(ground.client, free.attempt_id as string)).toMatchObject({ final_message: 'free' });
    await ground.runner('some', { RUNNER_LABELS: 'gpu' });
    expect(await waitingReason()).toEqual({ code: 'no_runner_with_label', label: 'java21' });
  });

  it('take it with all of its labels, and take it over from each other alone', async () => {
    await ground.runner('java', { RUNNER_LABELS: 'arm,gpu,java21' });
    expect(await untilEnded(ground.client, attempt_id)).toMatchObject({ state: 'completed', waiting_reason: null });
    expect([await labelsOfHome(), await waitingTurns()]).toEqual([['arm', 'gpu', 'java21'], []]);
    await ground.end('java');
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt: 'cat work.txt' });
    expect(await waitingReason()).toEqual({ code: 'no_runner_with_label', label: 'java21' });
    await ground.runner('next', { RUNNER_LABELS: 'gpu,java21' });
    expect(await untilEnded(ground.client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'work' });
    expect(await labelsOfHome()).toEqual(['gpu', 'java21']);
  });

  it('are named by a repository, too, beside its project', async () => {
    const { repository } = await givenProject(ground.api);
    const repos = [{ path: repository.dir, name: 'web', runs_on: ['arm'] }];
    const { project_id } = await ground.api.rest.does('POST', '/api/projects', { name: 'Arms', repos });
    await ground.api.rest.does('PUT', `/api/projects/${project_id as string}`, { runs_on: ['gpu'] });
    const attempt = await givenAttempt(ground.client, project_id as string, 'echo armed');
    attempt_id = attempt.attempt_id as string;
    expect(await waitingReason()).toEqual({ code: 'no_runner_with_label', label: 'arm' });
    await ground.runner('armed', { RUNNER_LABELS: 'gpu,arm' });
    expect(await untilEnded(ground.client, attempt_id)).toMatchObject({ final_message: 'armed' });
  });

  it.each([[['Java 21']], [['default']]])('refuse %j for labels', async (runs_on) => {
    expect(await ground.api.rest.answers(400, 'PUT', `/api/projects/${java}`, { runs_on })).toMatchObject({
      code: 'invalid_argument',
    });
  });
});
