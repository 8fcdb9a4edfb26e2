import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { UnknownLandings } from '../../../src/deliveries/unknown-landings.js';
import { Database } from '../../../src/platform/database/database.js';
import { givenEndedAttempt, givenProject, givenTask, type Project } from '../../support/board.js';
import { type McpClient } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

describe('answers over several repositories, paths and tasks', () => {
  it('a patch names the paths it skipped, and a cut one is not called blocked', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'seq 200 > numbers.txt');
    const patch = await client.call('get_attempt_patch', {
      attempt_id,
      paths: ['shop/numbers.txt', 'web/numbers.txt', 'web/none.txt'],
    });
    expect(patch).toMatchObject({
      blocked: false,
      paths: ['web/numbers.txt'],
      skipped_paths: ['shop/numbers.txt', 'web/none.txt'],
      patch: expect.stringContaining('+200'),
    });
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['shop'] })).toMatchObject({
      blocked: false,
      paths: [],
      skipped_paths: ['shop'],
      patch: '',
      bytes: 0,
    });
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web'], max_bytes: 300 })).toMatchObject({
      blocked: false,
      blocked_reason: null,
      truncated: true,
      skipped_paths: [],
    });
  });

  it('force does not lift the absolute cap of the list', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project.project_id,
      'mkdir many; cd many; seq -w 5001 | xargs touch',
    );
    expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({
      blocked: true,
      blocked_reason: 'threshold_exceeded',
      files: [],
      summary: { file_count: 5001 },
    });
    const forced = await client.call('get_attempt_changes', { attempt_id, force: true });
    expect(forced).toMatchObject({
      blocked: false,
      truncated: true,
      summary: { file_count: 5001 },
      hint: expect.any(String),
    });
    expect([forced.files.length, forced.files[0], forced.files.at(-1)]).toEqual([
      5000,
      'web/many/0001',
      'web/many/5000',
    ]);
  });

  it('list_tasks asks the database as often for many tasks as for one', async () => {
    await server.app.get(UnknownLandings, { strict: false }).onApplicationShutdown(); // looks whenever it likes
    const database = server.app.get(Database);
    const statements = [jest.spyOn(database, 'query'), jest.spyOn(database, 'queryPrepared')];
    const count = async (project_id: string): Promise<number> => {
      statements.forEach((statement) => statement.mockClear());
      await client.call('list_tasks', { project_id });
      return statements
        .flatMap(({ mock }) => mock.calls as unknown[][])
        .filter(([sql]) => JSON.stringify(sql).includes('tasks')).length; // others follow a change, whenever they like
    };
    const { project_id } = await givenProject(server, { name: 'Counted' });
    await givenEndedAttempt(client, project_id);
    const one = await count(project_id);
    for (let left = 20; left > 0; left -= 1) await givenTask(client, project_id);
    await givenEndedAttempt(client, project_id);
    expect([one, await count(project_id)]).toEqual([1, 1]);
    statements.forEach((statement) => statement.mockRestore());
  });
});
