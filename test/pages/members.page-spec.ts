import { expect, it } from '@jest/globals';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { Json } from '../support/mcp-client.js';
import { call } from '../support/plain-http.js';
import { SignInGround } from '../support/sign-in-ground.js';

const browser = PageBrowser.use();

describePages('a group of the company as a member', () => {
  const ground = SignInGround.use();

  it('gives its role to whoever is in it, as the header says', async () => {
    const { session } = await ground.signIn('bob'); // of the group eng, as Ada is
    const headers = { ...session, origin: ground.server.url, 'content-type': 'application/json' };
    const made = await call(`${ground.server.url}/api/projects`, headers, 'POST', '{"name":"Of Bob"}');
    const { project_id } = JSON.parse(made.body) as Json;
    const address = `${ground.base}/ui/p/${String(project_id)}/settings/members`;
    const place = `${ground.server.url}/api/projects/${String(project_id)}/members`;
    const say = async (method: string, group: string, role: string) =>
      (await call(place, headers, method, JSON.stringify({ group, role }))).status;
    expect(await say('POST', '/company/eng', 'owner')).toBe(201); // not the group of that name: letter by letter
    const page = await browser.open(`${ground.page}/sign-in?return_to=${address}`);
    await page.getByRole('alert').waitFor();
    expect(await say('POST', 'eng', 'viewer')).toBe(201);
    await page.reload();
    await page.getByRole('banner').getByText('Ada, viewer').waitFor();
    await page.getByRole('list', { name: 'Members' }).getByText('eng', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    await expectFitting(page, 'members by group');
    expect(await say('PATCH', 'eng', 'owner')).toBe(200);
    await page.reload();
    await page.getByRole('banner').getByText('Ada, owner').waitFor();
    await page.getByLabel('Role of eng').waitFor();
    browser.forgive(/40[0-9]|ERR_/);
  });
});
