import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';

const board = Board.use();

const add = async (worker: Json) => {
  const { status, body } = await board.rest.send('POST', '/api/workers', {
    name: 'Somebody',
    type: 'human',
    ...worker,
  });
  return { status, body };
};

describe('workers', () => {
  it('are people and agents alike, answered bare with 201', async () => {
    expect(await add({ handle: '@ada', name: 'Ada', user_id: 'auth0|42' })).toEqual({
      status: 201,
      body: {
        worker_id: expect.any(String),
        handle: '@ada',
        name: 'Ada',
        type: 'human',
        user_id: 'auth0|42',
        created_at: expect.any(String),
      },
    });
    expect(await add({ handle: 'Claude_Code-2', name: 'Claude', type: 'agent' })).toMatchObject({
      status: 201,
      body: { handle: '@claude_code-2', type: 'agent', user_id: null },
    });
  });

  it('are listed newest first, page by page', async () => {
    for (const handle of ['@one', '@two', '@three']) await add({ handle });
    const first = await board.rest.does('GET', '/api/workers?limit=2');
    const second = await board.rest.does('GET', `/api/workers?limit=2&cursor=${first.next_cursor}`);
    expect([first, second].map(({ workers }) => (workers as Json[]).map(({ handle }) => handle as string))).toEqual([
      ['@three', '@two'],
      ['@one', '@claude_code-2'],
    ]);
    expect([first.count, first.has_more, second.has_more]).toEqual([2, true, true]);
  });

  it('have a handle and a user id of their own', async () => {
    expect(await add({ handle: '@ADA' })).toMatchObject({ status: 409, body: { code: 'handle_taken' } });
    expect(await add({ handle: '@ada-2', user_id: 'auth0|42' })).toMatchObject({
      status: 409,
      body: { code: 'user_taken' },
    });
  });

  it.each([
    ['a handle with a space', { handle: '@a b' }, 'handle'],
    ['an empty handle', { handle: '@' }, 'handle'],
    ['a long handle', { handle: `@${'a'.repeat(50)}` }, 'handle'],
    ['no handle', {}, 'handle'],
    ['a blank name', { handle: '@x', name: ' ' }, 'name'],
    ['another type', { handle: '@x', type: 'robot' }, 'human'],
    ['an endless user id', { handle: '@x', user_id: 'x'.repeat(201) }, 'user_id'],
  ])('are not added with %s', async (_, worker, message) => {
    expect(await add(worker)).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: expect.stringContaining(message) },
    });
  });
});

describe('the members of a project', () => {
  let place: string;
  beforeEach(async () => {
    place = `/api/projects/${await board.bareProject('owner')}/members`;
  });
  const members = async (): Promise<string[]> =>
    ((await board.as('owner').does('GET', place)).members as Json[]).map(({ handle, role }) => `${handle} ${role}`);
  const join = (body: object, user = 'owner') => board.as(user).send('POST', place, body);

  it('begin with who created it by X-User-Id, as its owner', async () => {
    expect(await board.as('owner').does('GET', place)).toEqual({
      project_id: expect.any(String),
      ...{ count: 1, limit: 50, has_more: false, next_cursor: null },
      members: [
        {
          worker_id: expect.any(String),
          handle: '@owner',
          name: 'owner',
          type: 'human',
          role: 'owner',
          joined_at: expect.any(String),
        },
      ],
    });
  });

  it('are added by exactly one of worker_id, user_id and handle; an unknown user_id becomes a worker', async () => {
    const worker_id = await board.worker(`@agent-${Date.now()}`);
    expect(await join({ worker_id })).toMatchObject({
      status: 201,
      body: { worker_id, type: 'agent', role: 'member' },
    });
    expect(await join({ handle: 'ONE', role: 'owner' })).toMatchObject({
      status: 201,
      body: { handle: '@one', role: 'owner' },
    });
    expect(await join({ user_id: `new-${Date.now()}` })).toMatchObject({
      status: 201,
      body: { type: 'human', role: 'member' },
    });
    expect(await members()).toEqual([
      '@owner owner',
      '@one owner',
      expect.stringMatching(/^@agent-\d+ member$/),
      expect.stringMatching(/^@new-\d+ member$/),
    ]);
    expect(await join({})).toMatchObject({ status: 400, body: { code: 'missing_target' } });
    expect(await join({ worker_id, handle: '@one' })).toMatchObject({
      status: 400,
      body: { code: 'ambiguous_target' },
    });
  });

  it('are added once, and exist', async () => {
    await join({ handle: '@two' });
    expect(await join({ handle: '@two', role: 'owner' })).toMatchObject({
      status: 409,
      body: { code: 'already_member' },
    });
    expect(await join({ handle: '@nobody' })).toMatchObject({ status: 404, body: { code: 'worker_not_found' } });
    expect(await join({ worker_id: nowhere })).toMatchObject({ status: 404, body: { code: 'worker_not_found' } });
    expect(await join({ handle: '@one', role: 'admin' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
    expect(await members()).toEqual(['@owner owner', '@two member']);
  });

  it('change their role by the word of an owner, who stays if there is no other; each change is audited', async () => {
    const { worker_id } = (await join({ handle: '@two' })).body;
    const change = (role: string, user = 'owner', id = worker_id as string) =>
      board.as(user).send('PATCH', `${place}/${id}`, { role });
    expect(await change('maintainer')).toMatchObject({ status: 200, body: { handle: '@two', role: 'maintainer' } });
    expect(await change('maintainer')).toMatchObject({ status: 200 });
    expect(await change('owner', '@two')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await change('viewer', 'owner', nowhere)).toMatchObject({ status: 404, body: { code: 'worker_not_found' } });
    const owner = (await board.as('owner').does('GET', place)).members[0].worker_id as string;
    expect(await change('member', 'owner', owner)).toMatchObject({ status: 409, body: { code: 'last_owner' } });
    expect(await change('owner')).toMatchObject({ status: 200 });
    const both = await Promise.all([change('viewer', '@two', owner), change('viewer', 'owner')]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await members()).filter((member) => member.endsWith(' owner'))).toHaveLength(1);
    const { entries } = await board.rest.does('GET', place.replace(/members$/, 'audit'));
    const changes = (entries as Json[]).filter(({ action }) => action === 'member_role_changed');
    expect(changes).toHaveLength(3);
    const before = { worker_id, role: 'member' };
    expect(changes.at(-1)).toMatchObject({ details: { before, after: { worker_id, role: 'maintainer' } } });
  });

  it('are changed by an owner, not by a member, not from outside, and by the local owner without a user', async () => {
    await join({ handle: '@two' });
    const two = (await board.rest.does('GET', place)).members[1].worker_id as string;
    expect(await join({ handle: '@one' }, '@two')).toMatchObject({
      status: 403,
      body: { code: 'forbidden', message: 'This is not allowed: only an owner of the project may do this.' },
    });
    const { message } = await board.as('@two').refused('GET', place.replace(/members$/, 'export'));
    expect(message).toBe('This is not allowed: only a maintainer of the project may do this.');
    expect(await join({ handle: '@one' }, '@three')).toMatchObject({ status: 403, body: { code: 'not_a_member' } });
    expect(await board.as('@two').send('DELETE', `${place}/${two}`)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect(await board.rest.does('POST', place, { handle: '@three' })).toMatchObject({ role: 'member' });
    expect(await board.as('owner').does('DELETE', `${place}/${two}`)).toEqual({ removed_worker_id: two });
    expect(await members()).toEqual(['@owner owner', '@three member']);
    expect(await board.as('owner').refused('DELETE', `${place}/${two}`)).toMatchObject({
      status: 404,
      code: 'worker_not_found',
    });
  });

  it('always have an owner: the last one stays, also when two leave at once', async () => {
    const { worker_id } = ((await board.rest.does('GET', place)).members as Json[])[0]!;
    expect(await board.as('owner').refused('DELETE', `${place}/${worker_id}`)).toMatchObject({
      status: 409,
      code: 'last_owner',
    });
    const { worker_id: second } = (await join({ handle: '@two', role: 'owner' })).body;
    const answers = await Promise.all([worker_id, second].map((id) => board.rest.send('DELETE', `${place}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await board.rest.does('GET', place)).members).toMatchObject([{ role: 'owner' }]);
  });

  it('close a project that was open to everybody else', async () => {
    const open = `/api/projects/${await board.bareProject()}/members`;
    expect(await board.rest.does('GET', open)).toMatchObject({ count: 0, members: [] });
    expect(await board.rest.does('POST', open, { handle: '@one', role: 'owner' })).toMatchObject({
      handle: '@one',
      role: 'owner',
    });
    expect(await board.as('@one').does('POST', open, { handle: '@two' })).toMatchObject({ role: 'member' });
    expect(await board.as('@three').refused('GET', open)).toMatchObject({ code: 'not_a_member' });
  });

  it('S22: a worker id that is given as a handle names nobody', async () => {
    const worker_id = await board.worker(`@mixed-${Date.now()}`);
    expect(await join({ handle: worker_id })).toMatchObject({ status: 404, body: { code: 'worker_not_found' } });
    expect(await members()).toEqual(['@owner owner']);
  });

  it('S12: are begun by nobody who is no member: a worker cannot take an open project over', async () => {
    const open = `/api/projects/${await board.bareProject()}/members`;
    for (const body of [{ handle: '@three' }, { handle: '@one' }, { user_id: 'mallory' }])
      expect(await board.as('@three').refused('POST', open, body)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await board.rest.does('GET', open)).toMatchObject({ count: 0, members: [] });
  });

  it('of a project that is not there are not found', async () => {
    expect(await board.rest.refused('GET', `/api/projects/${nowhere}/members`)).toMatchObject({
      status: 404,
      code: 'project_not_found',
    });
    expect(await board.rest.refused('POST', `/api/projects/${nowhere}/members`, { handle: '@one' })).toMatchObject({
      status: 404,
      code: 'project_not_found',
    });
    expect(await board.rest.refused('DELETE', `/api/projects/${nowhere}/members/${nowhere}`)).toMatchObject({
      status: 404,
      code: 'project_not_found',
    });
  });
});

describe('deleting a project', () => {
  it('is for an owner, and for the local owner without a user', async () => {
    const [first, second] = [await board.bareProject('owner'), await board.bareProject('owner')];
    for (const id of [first, second]) await board.member(id, '@two');
    expect(await board.as('@two').refused('DELETE', `/api/projects/${first}`)).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    expect(await board.as('@three').refused('DELETE', `/api/projects/${first}`)).toMatchObject({
      status: 403,
      code: 'not_a_member',
    });
    await board.as('owner').does('DELETE', `/api/projects/${first}`);
    await board.rest.does('DELETE', `/api/projects/${second}`);
  });
});
