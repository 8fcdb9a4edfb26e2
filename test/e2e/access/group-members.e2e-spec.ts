import { beforeAll, describe, expect, it } from '@jest/globals';
import { SessionRenewal } from '../../../src/pages/session-renewal.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { call, codeOf } from '../../support/plain-http.js';
import { SignInGround } from '../../support/sign-in-ground.js';

type Session = Record<string, string>;

describe('a group of the identity provider', () => {
  const ground = SignInGround.use();
  let ada: Session;
  let bob: Session;
  let root: Session;
  beforeAll(async () => {
    ada = (await ground.signIn('ada')).session;
    bob = (await ground.signIn('bob')).session;
    root = (await ground.signIn('root')).session;
  });

  const ask = async (who: Session, method: string, place: string, body?: object): Promise<Json> => {
    const type: Session = body ? { 'content-type': 'application/json' } : {};
    const headers = { ...who, origin: ground.server.url, ...type };
    const answer = await call(`${ground.server.url}/api/${place}`, headers, method, body && JSON.stringify(body));
    return { status: answer.status, code: codeOf(answer), ...(JSON.parse(answer.body) as Json) };
  };
  const given = async (who: Session): Promise<string> =>
    `projects/${String((await ask(who, 'POST', 'projects', { name: 'Shop' })).project_id)}`;
  /** What somebody may do in a project: nothing, read, write, or own. */
  const mayIn = async (who: Session, project: string): Promise<string> => {
    if ((await ask(who, 'GET', project)).status === 404) return 'nothing';
    if ((await ask(who, 'PUT', project, { description: crypto.randomUUID() })).status === 403) return 'read';
    return (await ask(who, 'PATCH', `${project}/members/${crypto.randomUUID()}`, { role: 'viewer' })).status === 403
      ? 'write'
      : 'own';
  };

  it.each([
    ['viewer', 'read'],
    ['member', 'write'],
    ['owner', 'own'],
  ])('with the role %s may %s, as long as somebody is in it', async (role, may) => {
    const project = await given(ada);
    expect(await mayIn(bob, project)).toBe('nothing');
    expect(await ask(ada, 'POST', `${project}/members`, { group: 'eng', role })).toMatchObject({
      status: 201,
      worker_id: null,
      name: 'eng',
      type: 'group',
      role,
    });
    expect(await mayIn(bob, project)).toBe(may);
    expect((await ask(bob, 'GET', 'projects')).projects).toContainEqual(expect.objectContaining({ name: 'Shop' }));
    expect(await mayIn(ada, project)).toBe('own'); // the best of person and groups
    expect(await ask(ada, 'DELETE', `${project}/members?group=eng`)).toMatchObject({ removed_group: 'eng' });
    expect(await mayIn(bob, project)).toBe('nothing');
    expect(await ask(ada, 'DELETE', `${project}/members?group=eng`)).toMatchObject({ code: 'group_not_found' });
  });

  it('changes its role without leaving, which owners alone may do', async () => {
    const project = await given(ada);
    await ask(ada, 'POST', `${project}/members`, { group: 'eng', role: 'member' });
    const owner = { group: 'eng', role: 'owner' };
    expect(await ask(bob, 'PATCH', `${project}/members`, owner)).toMatchObject({ status: 403 });
    expect(await ask(ada, 'PATCH', `${project}/members`, owner)).toMatchObject({
      status: 200,
      name: 'eng',
      role: 'owner',
    });
    expect(await mayIn(bob, project)).toBe('own');
    expect(await ask(bob, 'PATCH', `${project}/members`, { group: 'eng', role: 'viewer' })).toMatchObject({
      status: 200,
    });
    expect(await mayIn(bob, project)).toBe('read');
    const unknown = { group: 'Eng', role: 'viewer' };
    expect(await ask(ada, 'PATCH', `${project}/members`, unknown)).toMatchObject({ code: 'group_not_found' });
    const { entries } = await ask(ada, 'GET', `${project}/audit?limit=1`);
    expect(entries[0]).toMatchObject({
      action: 'member_role_changed',
      details: { before: { group: 'eng', role: 'owner' }, after: { group: 'eng', role: 'viewer' } },
    });
  });

  it('is compared letter by letter, with the slashes of a path', async () => {
    const project = await given(ada);
    for (const group of ['Eng', '/company/eng', 'eng/', 'en']) {
      await ask(ada, 'POST', `${project}/members`, { group });
      expect(await mayIn(bob, project)).toBe('nothing');
    }
    const place = `${project}/members?group=${encodeURIComponent('/company/eng')}`;
    expect(await ask(ada, 'DELETE', place)).toMatchObject({ removed_group: '/company/eng' });
    expect(await ask(ada, 'POST', `${project}/members`, { group: 'Eng' })).toMatchObject({ code: 'already_member' });
    expect((await ask(ada, 'GET', `${project}/members`)).members.map(({ name }: Json) => name)).toEqual([
      'Eng',
      'eng/',
      'en',
      'Ada',
    ]);
  });

  it('is asked for at each call: who leaves it loses the role with the next renewal', async () => {
    const project = await given(ada);
    await ask(ada, 'POST', `${project}/members`, { group: 'shop' });
    ground.provider.groups.bob = ['eng', 'shop'];
    const renewal = ground.server.app.get(SessionRenewal, { strict: false });
    const renew = async () => {
      await ground.server.query('UPDATE page_sessions SET renew_at = now()');
      await renewal.renewDue();
    };
    await renew();
    await eventually('the role', async () => (await mayIn(bob, project)) === 'write');
    ground.provider.groups.bob = ['eng'];
    await renew();
    await eventually('its end', async () => (await mayIn(bob, project)) === 'nothing');
  });

  it('counts for access tokens, too', async () => {
    const project = await given(ada);
    await ask(ada, 'POST', `${project}/members`, { group: 'eng', role: 'viewer' });
    const token = await ground.provider.tokenOf('bob', new URL(ground.page).origin);
    expect((await ask({ authorization: `Bearer ${token}` }, 'GET', project)).status).toBe(200);
  });

  it('closes a project to everybody else, and an administrator of the instance looks after it', async () => {
    const project = await given(ada);
    const id = project.replace('projects/', '');
    await ground.server.query('DELETE FROM project_members WHERE project_id = $1', [id]);
    expect(await mayIn(bob, project)).toBe('write'); // without members it is open
    await ground.server.query("INSERT INTO project_groups VALUES ($1, 'sales', 'member')", [id]);
    expect(await mayIn(bob, project)).toBe('nothing');
    expect(await mayIn(root, project)).toBe('own');
    expect((await ask(root, 'POST', `${project}/members`, { group: 'eng' })).status).toBe(201);
    expect(await mayIn(bob, project)).toBe('write');
    await ask(root, 'POST', `${project}/members`, { handle: '@ada', role: 'owner' });
    expect(await mayIn(root, project)).toBe('nothing'); // somebody owns it now
  });

  it('is no name for an administrator', async () => {
    const project = await given(ada);
    await ask(ada, 'POST', `${project}/members`, { group: 'sales' });
    ground.provider.groups.bob = ['eng', '\t', 'a\nsales', ''];
    const { session } = await ground.signIn('bob');
    expect(await mayIn(session, project)).toBe('nothing');
    ground.provider.groups.bob = ['eng'];
  });
});
