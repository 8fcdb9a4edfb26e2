import { expect, it } from '@jest/globals';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { Json } from '../support/mcp-client.js';
import { call } from '../support/plain-http.js';
import { SignInGround } from '../support/sign-in-ground.js';

const browser = PageBrowser.use();

describePages('somebody at the page of a company', () => {
  const ground = SignInGround.use();

  /** As an admin does. */
  const endSessionsOf = async (who: string) => {
    const { session } = await ground.signIn('root');
    const [worker] = await ground.server.query<Json>('SELECT id FROM workers WHERE user_id LIKE $1', [`%|${who}`]);
    const address = `${ground.server.url}/api/sessions-of/${String(worker!.id)}`;
    expect((await call(address, { ...session, origin: ground.server.url }, 'DELETE')).status).toBe(200);
  };

  it('follows a link from a chat, signs in at the provider, and is where the link led', async () => {
    const page = await browser.prepare(ground.page);
    ground.provider.answer = (_, response) =>
      response.setHeader('content-type', 'text/html').end(`<a href="${ground.page}/inbox">Look at this</a>`);
    await page.goto(`${ground.provider.issuer}/chat`);
    await page.getByRole('link', { name: 'Look at this' }).click();
    browser.forgive(/401/);
    const enter = page.getByRole('link', { name: 'Sign in' });
    await enter.waitFor();
    browser.forgive(/401/);
    await expectUsable(page, 'sign-in');
    expect(await page.getByRole('button', { name: 'Sign in with a token' }).count()).toBe(0);
    ground.provider.answer = null;
    await enter.click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(page.url()).toBe(`${ground.page}/inbox`);
    await page.getByRole('banner').getByText('Ada', { exact: true }).waitFor();
    expect(await page.evaluate<string>('location.hash + document.cookie')).toBe('');
  });

  it('signs in again in another tab when the session has ended, and loses nothing that was typed', async () => {
    const { session } = await ground.signIn();
    const headers = { ...session, origin: ground.server.url, 'content-type': 'application/json' };
    const made = await call(`${ground.server.url}/api/projects`, headers, 'POST', '{"name":"Of Ada"}');
    const { project_id } = JSON.parse(made.body) as Json;
    const page = await browser.open(`${ground.page}/sign-in?return_to=${ground.base}/ui/p/${String(project_id)}`);
    await page.getByRole('banner').getByText('Ada, owner').waitFor();
    await page.getByRole('button', { name: 'New task' }).click();
    const title = page.getByLabel('Title');
    await title.fill('A title that took thought');
    await endSessionsOf('ada');
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      again.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await tab.getByRole('banner').getByText('Ada, owner').waitFor();
    await again.waitFor({ state: 'detached' });
    expect(await title.inputValue()).toBe('A title that took thought');
    browser.forgive(/40[13]|ERR_INCOMPLETE/);
  });

  it('signs out, here and at the provider', async () => {
    const page = await browser.open(`${ground.page}/sign-in`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${ground.provider.issuer}/session/end**`);
    await page.goto(ground.page);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    browser.forgive(/40[0-9]|ERR_/);
  });

  it('is told in words why it may not enter', async () => {
    ground.provider.groups.ada = [];
    const page = await browser.open(`${ground.page}/sign-in`);
    browser.forgive(/403/);
    await page.getByRole('heading', { name: 'You are signed in as Ada, and may not enter' }).waitFor();
    await expectUsable(page, 'no-entry');
    browser.forgive(/403/);
    ground.provider.groups.ada = ['eng'];
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page
      .getByRole('banner')
      .getByText(/^Ada(, owner)?$/)
      .waitFor(); // with its role, where a project is open
    browser.forgive(/401/);
  });
});
