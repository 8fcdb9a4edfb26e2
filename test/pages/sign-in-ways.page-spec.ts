import { afterEach, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { type GroupsIn, PAGE } from '../support/oidc-provider.js';
import { call } from '../support/plain-http.js';
import { asPerson, dead, idTokensWith } from '../support/provider-answers.js';
import { GROUP_BY_ID, GROUP_BY_PATH, SignInGround } from '../support/sign-in-ground.js';

const browser = PageBrowser.use();
/** What their ID tokens say beside who somebody is. */
const KEYCLOAK = { typ: 'ID', azp: PAGE.client_id, acr: '1', preferred_username: 'ada', email_verified: true };
const ENTRA = {
  ver: '2.0',
  tid: GROUP_BY_ID,
  oid: GROUP_BY_ID,
  uti: 'x',
  rh: '0.A',
  preferred_username: 'ada@example',
};
const OKTA = { ver: 1, idp: '00o1', amr: ['pwd', 'mfa'], auth_time: 1_700_000_000, preferred_username: 'ada@example' };

describePages('people of a company at the page', () => {
  const ground = SignInGround.use();
  afterEach(() => {
    ground.provider.groups.ada = ground.provider.groups.bob = ['eng'];
  });

  const ask = async (who: Record<string, string>, method: string, place: string, body: object): Promise<Json> => {
    const headers = { ...who, origin: ground.server.url, 'content-type': 'application/json' };
    const answer = await call(`${ground.server.url}/api/${place}`, headers, method, JSON.stringify(body));
    expect([answer.status, answer.body]).toEqual([201, expect.any(String)]);
    return JSON.parse(answer.body) as Json;
  };
  /** A project that Ada owns, and in which a group has a role. */
  const shared = async (group: string, role: string): Promise<string> => {
    const { session } = await ground.signIn();
    const { project_id } = await ask(session, 'POST', 'projects', { name: 'Shop' });
    await ask(session, 'POST', `projects/${String(project_id)}/members`, { group, role });
    return String(project_id);
  };
  const signInTo = (place: string) => `${ground.page}/sign-in?return_to=${ground.base}/ui/${place}`;

  it.each<[whose: string, claims: JWTPayload, groupsIn: GroupsIn, groups: string[]]>([
    ["Keycloak's, groups by name", KEYCLOAK, 'id_token', ['offline_access', 'eng']],
    ["Keycloak's, groups by path", KEYCLOAK, 'id_token', ['/company', GROUP_BY_PATH]],
    ["Entra's, groups by id", ENTRA, 'id_token', [GROUP_BY_ID]],
    ["Okta's, groups in userinfo alone", OKTA, 'userinfo', ['Everyone', 'eng']],
  ])('enter by tokens like %s', async (_, claims, groupsIn, groups) => {
    ground.provider.groups.ada = groups;
    ground.says(groupsIn);
    ground.provider.answer = idTokensWith(ground.provider, claims);
    const page = await browser.open(signInTo('inbox'));
    await page.getByRole('banner').getByText('Ada').waitFor();
    expect(page.url()).toBe(`${ground.page}/inbox`);
  });

  it.each<[what: string, claims: JWTPayload, groupsIn: GroupsIn, groups: string[], words: string]>([
    ['the parent of a path', KEYCLOAK, 'id_token', ['/company'], 'None of your groups has a role here: /company.'],
    ['a group in other letters', KEYCLOAK, 'id_token', ['Eng'], 'None of your groups has a role here: Eng.'],
    ['more groups than Entra lists', ENTRA, 'elsewhere', ['eng'], 'because they are too many'],
    ['no group at Okta', OKTA, 'userinfo', [], 'names no group of yours in "groups"'],
  ])('read why they may not enter with %s', async (_, claims, groupsIn, groups, words) => {
    ground.provider.groups.ada = groups;
    ground.says(groupsIn);
    ground.provider.answer = idTokensWith(ground.provider, claims);
    const page = await browser.open(signInTo('inbox'));
    await page.getByRole('heading', { name: 'You are signed in as Ada, and may not enter' }).waitFor();
    expect(await page.getByRole('main').textContent()).toContain(words);
    browser.forgive(/403/);
  });

  it('come by a link to the board of a project, and see what they may do there', async () => {
    const project_id = await shared('eng', 'viewer');
    const page = await browser.open(`${ground.page}/p/${project_id}`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('banner').getByText('Ada, owner').waitFor(); // the better of group and person
    expect(page.url()).toBe(`${ground.page}/p/${project_id}`);
    browser.forgive(/401/);
    ground.provider.answer = asPerson(ground.provider, 'bob');
    const other = await browser.open(signInTo(`p/${project_id}`));
    await other.getByRole('banner').getByText('Bob, viewer').waitFor();
  });

  it('have the role of a group from the sign-in after they joined it, to that after they left', async () => {
    const place = `p/${await shared('shop', 'member')}`;
    ground.provider.answer = asPerson(ground.provider, 'bob');
    const seen = async (groups: string[]) => {
      ground.provider.groups.bob = groups;
      const page = await browser.open(signInTo(place));
      await page.getByRole('banner').getByText('Bob').waitFor();
      const role = page.getByRole('banner').getByText('Bob, member');
      await role.or(page.getByRole('alert')).first().waitFor();
      return role.isVisible();
    };
    expect(await seen(['eng'])).toBe(false);
    expect(await seen(['eng', 'shop'])).toBe(true);
    expect(await seen(['eng'])).toBe(false);
    browser.forgive(/404/);
  });

  it('sign in by two tabs at once', async () => {
    const waiting: (() => void)[] = [];
    ground.provider.answer = (request, response) => {
      if (!request.url?.startsWith('/auto/')) return ground.provider.pass(request, response);
      return waiting.push(() => ground.provider.pass(request, response));
    };
    const one = await browser.prepare(ground.page);
    const two = await one.context().newPage();
    browser.watch(two);
    const first = one.goto(signInTo('inbox'));
    await eventually('the first at the provider', () => waiting.length === 1);
    const second = two.goto(signInTo('projects'));
    await eventually('both at the provider', () => waiting.length === 2);
    waiting[1]!();
    await second;
    await two.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
    waiting[0]!();
    await first;
    await one.getByRole('heading', { name: 'Inbox' }).waitFor();
    for (const page of [one, two]) {
      await page.reload();
      await page.getByRole('banner').getByText('Ada').waitFor();
    }
  });

  it('stay signed in while the provider is away, and once it signs by another key', async () => {
    const page = await browser.open(signInTo('inbox'));
    await page.getByRole('banner').getByText('Ada').waitFor();
    ground.provider.answer = dead;
    await page.reload();
    await page.getByRole('banner').getByText('Ada').waitFor();
    ground.provider.answer = null;
    await ground.provider.rotateKeys();
    await page.goto(signInTo('projects'));
    await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  });

  it('see at once that the provider has signed them out', async () => {
    const page = await browser.open(signInTo('inbox'));
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = { aud: PAGE.client_id, sub: 'ada', events, jti: crypto.randomUUID() };
    const logout_token = await ground.provider.sign(claims, { typ: 'logout+jwt' });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ logout_token }).toString();
    expect((await call(`${ground.server.url}/ui/backchannel-logout`, headers, 'POST', body)).status).toBe(200);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    browser.forgive(/401|ERR_INCOMPLETE/);
  });
});
