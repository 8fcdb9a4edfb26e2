import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AttackGround } from '../support/attack-ground.js';
import { givenProject, givenTask, untilEnded } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';

const as = (user: string) => ({ 'x-user-id': user });

describe('people and their records', () => {
  const ground = AttackGround.use({
    DATABASE_URL: '', // embedded, so that the server has a role of its own
    SHELL_EXECUTOR: 'off',
    LOG_LEVEL: 'info',
  });
  let project_id: string;
  let task_id: string;
  beforeAll(async () => {
    for (const [handle, type, user_id] of [
      ['@ada', 'human', 'ada'],
      ['@mallory', 'human', 'mallory'],
      ['@helper', 'agent', undefined],
    ])
      await ground.rest.does('POST', '/api/workers', { handle, name: handle, type, user_id });
    ({ project_id } = await givenProject(ground.server));
    task_id = await givenTask(ground.kanban, project_id);
  });
  const workers = async (): Promise<Json[]> =>
    (await ground.rest.does('GET', '/api/workers?limit=500')).workers as Json[];

  describe('S3: commands that are switched off', () => {
    it.each(['run echo ran > ran.txt', 'ask echo ran > ran.txt'])('DEMO: %s', async (line) => {
      const task = await givenTask(ground.kanban, project_id);
      const start = { task_id: task, executor: 'DEMO', prompt: `${line}\nwrite a.txt <<< a` };
      const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
      await untilEnded(ground.kanban, attempt_id as string);
      expect((await ground.kanban.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/a.txt']);
    });

    it('SHELL', async () => {
      const start = { task_id, executor: 'SHELL', prompt: 'id' };
      expect((await ground.kanban.refused('start_task_attempt', start)).code).toMatch(
        /^executor_(unknown|unavailable)$/,
      );
    });

    it.each(['setup_script', 'cleanup_script'])('a %s', async (script) => {
      const { dir } = ground.server.repositories.repository(script);
      const repo = { path: dir, name: 'scripted', [script]: 'id' };
      await ground.rest.refuses('invalid_argument', 'POST', `/api/projects/${project_id}/repos`, repo);
    });
  });

  describe('S11: two names in one call', () => {
    it.each(['taskflow_list_projects', 'taskflow_start_task', 'taskflow_delete_task'])('%s', async (tool) => {
      const before = await ground.rest.does('GET', `/api/tasks/${task_id}`);
      const args = { user_id: 'ada', ...(tool.endsWith('projects') ? {} : { task_id }) };
      const { status } = await ground.rest.send('POST', `/api/toolsets/taskflow/tools/${tool}`, args, as('mallory'));
      expect(status).toBe(400);
      expect(await ground.rest.does('GET', `/api/tasks/${task_id}`)).toEqual(before);
    });
  });

  describe('S12: who makes themselves an owner', () => {
    it.each([{ handle: '@mallory' }, { user_id: 'mallory' }, { user_id: 'friend-of-mallory' }])(
      '%j',
      async (member) => {
        const open = (await ground.rest.does('POST', '/api/projects', { name: 'Open' })).project_id as string;
        const place = `/api/projects/${open}/members`;
        const answer = await ground.rest.send('POST', place, { ...member, role: 'owner' }, as('mallory'));
        expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
        expect(await ground.rest.does('GET', place)).toMatchObject({ count: 0 });
      },
    );
  });

  describe('S18: evidence that is changed', () => {
    const thought = async (agent_id = '@ada'): Promise<Json> => {
      const record = { type: 'decision', agent_id, content: 'Ship it.' };
      return ground.rest.answers(201, 'POST', `/api/tasks/${task_id}/thought-records`, record, as('mallory'));
    };
    const verify = async (): Promise<Json> =>
      ground.rest.does('POST', '/api/toolsets/colibri/tools/audit_verify_chain', { task_id });
    /** On the database, with the password in a file below DATA_DIR. */
    async function onDatabase(user: string, file: string, sql: string): Promise<void> {
      const url = new URL(ground.databaseUrl());
      url.username = user;
      url.password = readFileSync(`${ground.dataDir}/postgres/${file}`, 'utf8').trim();
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    }

    beforeAll(async () => {
      for (let count = 0; count < 3; count += 1) await thought();
    });

    it.each([
      "UPDATE audit_log SET actor = '@ada'",
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
      "UPDATE thought_records SET content = 'x'",
      'DELETE FROM thought_records',
      "UPDATE thought_heads SET hash = 'x'",
      'DELETE FROM thought_heads',
      'ALTER TABLE thought_records DISABLE TRIGGER ALL',
      'ALTER TABLE audit_log ADD COLUMN more text',
      "SET session_replication_role = 'replica'",
      "COPY audit_log TO PROGRAM 'id'",
      "SELECT pg_read_file('/etc/passwd')",
      'CREATE ROLE more SUPERUSER',
    ])('by the role of the server: %s', async (sql) => {
      await expect(onDatabase('taskyard_app', 'app-password', sql)).rejects.toMatchObject({ code: '42501' });
    });

    it('who wrote a record is who the body says', async () => {
      const { id } = await thought('@ada');
      const { records } = await ground.rest.does('GET', `/api/tasks/${task_id}/thought-records?limit=100`);
      const written = (records as Json[]).find((record) => record.id === id || record.thought_record_id === id);
      expect(written).toMatchObject({ agent_id: '@ada', recorded_by: '@mallory' });
    });

    it('the newest head is nowhere but in the database', async () => {
      const { hash } = await thought();
      await eventually('its line in the log', () => ground.server.output.includes(hash as string));
    });

    it.each([
      [
        'a field',
        `UPDATE thought_records SET agent_id = '@eve' WHERE number = (SELECT min(number) FROM thought_records)`,
      ],
      ['the tail', 'DELETE FROM thought_records WHERE number = (SELECT max(number) FROM thought_records)'],
    ])('by the owner of the tables, unseen: %s', async (_, sql) => {
      expect(JSON.stringify(await verify())).toContain('"valid":true');
      const backup = 'CREATE TABLE IF NOT EXISTS kept AS SELECT r.* FROM thought_records r';
      await onDatabase('postgres', 'password', `${backup}; ${sql}`);
      expect(JSON.stringify(await verify())).toContain('"valid":false');
      const restore =
        "SET session_replication_role = 'replica'; DELETE FROM thought_records; " +
        'INSERT INTO thought_records OVERRIDING SYSTEM VALUE SELECT k.* FROM kept k; DROP TABLE kept';
      await onDatabase('postgres', 'password', restore);
    });
  });

  describe('S22: names that are taken for others', () => {
    it('a user whose id reads like the handle of a person', async () => {
      const { worker_id } = await ground.rest.does('POST', '/api/workers', {
        handle: '@grace',
        name: 'Grace',
        type: 'human',
      });
      const task = await ground.rest.answers(
        201,
        'POST',
        `/api/projects/${project_id}/tasks`,
        { title: 'x' },
        as('grace'),
      );
      const { entries } = await ground.rest.does('GET', `/api/tasks/${task.task_id}/audit`);
      expect((entries as Json[])[0]!.actor_id).not.toBe(worker_id);
    });

    it.each(['handle', 'assignee_handle'])('a worker id in place of a %s', async (field) => {
      const { worker_id } = (await workers()).find(({ handle }) => handle === '@ada')!;
      const answer =
        field === 'handle'
          ? await ground.rest.send('POST', `/api/projects/${project_id}/members`, { handle: worker_id as string })
          : await ground.rest.send('PATCH', `/api/tasks/${task_id}/assign`, { assignee_handle: worker_id as string });
      expect(answer.status).toBe(404);
    });
  });
});
