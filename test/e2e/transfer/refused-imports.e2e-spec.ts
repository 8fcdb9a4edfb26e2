import { describe, expect, it } from '@jest/globals';
import { TestServer } from '../../support/server.js';
import { fileOf, sent, toText } from '../../support/transfer.js';

const server = TestServer.share();
const task = (external_id: string, more = {}) => ({ kind: 'task', external_id, title: `Task ${external_id}`, ...more });
const titles = async (project_id: string) =>
  ((await server.rest.does('GET', `/api/projects/${project_id}/tasks`)).tasks as { title: string }[]).length;

describe('tasks imported into a project', () => {
  it('come once, and none of them where a line is bad, which is named', async () => {
    const { project_id } = await server.rest.does('POST', '/api/projects', { name: 'Shop' });
    const place = `/api/projects/${project_id}/tasks:import`;
    const bad = fileOf(task('1'), task('2', { stage: 'NOWHERE' }), task('3', { parent: { external_id: '9' } }));
    expect(await sent(server.url, place, toText(bad))).toMatchObject({
      status: 400,
      body: { code: 'import_refused', details: { errors: [{ line: 3 }] } },
    });
    expect(await titles(project_id as string)).toBe(0);
    const good = toText(fileOf(task('1'), task('2', { parent: { external_id: '1' } })));
    expect(await sent(server.url, `${place}?dry_run=true`, good)).toMatchObject({ body: { created: { task: 2 } } });
    expect(await titles(project_id as string)).toBe(0);
    expect(await sent(server.url, place, good)).toMatchObject({ status: 200, body: { created: { task: 2 } } });
    expect(await sent(server.url, place, good)).toMatchObject({
      body: { created: { task: 0 }, existing: { task: 2 } },
    });
    expect(await titles(project_id as string)).toBe(2);
  });
});
