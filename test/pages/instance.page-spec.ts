import { beforeAll, expect, it } from '@jest/globals';
import { givenProject } from '../support/board.js';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const SECTIONS = ['People', 'Tokens', 'Runners', 'Tool calls', 'Audit log'];

describePages('what concerns the whole server', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });
  const open = (section: string) => browser.open(`${server.url}/ui/instance${section}`);

  it('is reached from the rail, section by section', async () => {
    await (await server.mcp()).call('list_projects', {});
    const page = await browser.open(`${server.url}/ui/inbox`);
    await page.getByRole('banner').getByRole('link', { name: 'Instance' }).click();
    for (const name of SECTIONS) {
      await page.getByRole('navigation', { name: 'Instance' }).getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
    }
  });

  it('is for administrators: others do not see the way, and are told why at its address', async () => {
    const made = await server.rest.answers(201, 'POST', '/api/tokens', { name: 'plain', scopes: ['read', 'write'] });
    const page = await browser.open(`${server.url}/ui/instance/tokens`, {}, made.token as string);
    await page.getByText('This is for administrators').waitFor();
    expect(await page.getByRole('banner').getByRole('link', { name: 'Instance' }).count()).toBe(0);
    await expectFitting(page, 'no administrator');
  });

  it('adds a person, and signs them out everywhere', async () => {
    const page = await open('');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('Handle').fill('grace');
    await page.getByLabel('User id').fill('grace');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('list', { name: 'People' }).getByText('@grace').waitFor();
    const token = { name: 'of grace', scopes: ['read'], user_id: 'grace' };
    const made = await server.rest.answers(201, 'POST', '/api/tokens', token);
    const hers = await browser.open(`${server.url}/ui/inbox`, {}, made.token as string);
    await hers.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.getByRole('button', { name: 'Sign out Grace Hopper' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sessions ended: 1').waitFor();
    browser.forgive(/401|ERR_/);
  });

  it('makes a token that is shown once, rotates and revokes it', async () => {
    const page = await open('/tokens');
    await page.getByLabel('What it is for').fill('nightly build');
    await page.getByRole('checkbox', { name: /^write/ }).check();
    await page.getByRole('checkbox', { name: 'Web shop' }).check();
    await page.getByLabel('Good until the end of').fill('2099-12-31');
    await page.getByRole('button', { name: 'Create token' }).click();
    const shown = page.getByRole('dialog', { name: 'The token nightly build' });
    const token = await shown.getByLabel('Token', { exact: true }).inputValue();
    await expectFitting(page, 'a new token');
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(token);
    const bearer = { authorization: `Bearer ${token}` };
    const me = await server.rest.answers(200, 'GET', '/api/me', undefined, bearer);
    expect(me).toMatchObject({ scopes: ['read', 'write'], projects: [project_id] });

    const list = page.getByRole('list', { name: 'Tokens' });
    await list.getByText('Web shop').waitFor();
    await list.getByRole('button', { name: 'Rotate nightly build' }).click();
    const next = await shown.getByLabel('Token', { exact: true }).inputValue();
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(next).not.toBe(token);
    await list.getByRole('button', { name: 'Revoke nightly build' }).nth(1).waitFor(); // the old one is listed, too
    await list.getByRole('button', { name: 'Revoke nightly build' }).first().click();
    await expectFitting(page, 'a revocation');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Token revoked').waitFor();
    await server.rest.answers(401, 'GET', '/api/me', undefined, { authorization: `Bearer ${next}` });
  });

  it('shows each runner with what it runs, and what is missing there', async () => {
    const page = await open('/runners');
    const runners = page.getByRole('list', { name: 'Runners' });
    await runners.getByText('Ready').waitFor();
    await runners.getByText(/of \d+ turns/).waitFor();
    await runners.getByText(/Starts .*DEMO/).waitFor();
    await runners.getByText(/What is missing for/).click();
    await expectFitting(page, 'runners');
  });

  it('finds in the audit log what somebody did, at an address that can be shared', async () => {
    const page = await open('/audit');
    const entries = page.getByRole('list', { name: 'Entries' });
    await entries.getByText('token revoked').waitFor();
    await page.getByLabel('What', { exact: true }).fill('token created');
    await entries.getByText('token revoked').first().waitFor({ state: 'detached' });
    await entries.getByText('token created').first().waitFor();
    await page.waitForURL(/action=token/);
    await page.reload();
    await entries.getByText('token created').first().waitFor();
    expect(await entries.getByText('token revoked').count()).toBe(0);
    await page.getByLabel('Until').fill('2001-01-01');
    await page.getByText('There is no such entry').waitFor();
  });

  it('sums what was used, and gives it to a spreadsheet', async () => {
    const page = await browser.open(`${server.url}/ui/throughput`);
    await page.getByLabel('Sum by').selectOption('day');
    await page.getByLabel('Period').selectOption('');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('usage-by-day.csv');
  });
});
