import { beforeAll, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import { violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('the network of runs on the page', () => {
  const server = TestServer.use({ RUN_NETWORK: 'auto' });
  let project_id: string;
  let attempt_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    await server.rest.does('PUT', `/api/projects/${project_id}`, { network: 'listed' });
    const ended = await givenEndedAttempt(await server.mcp(), project_id, 'curl -s -m 9 http://no.example/');
    attempt_id = ended.attempt_id as string;
  });

  it('lists the hosts that runs of a project reach, and says which of them is none', async () => {
    const page = await browser.open(`${server.url}/ui/projects`);
    await page.getByText('Network', { exact: true }).first().click();
    await page.getByLabel('What runs reach').first().selectOption('listed');
    await page.getByLabel('Presets').first().fill('model npm');
    const hosts = page.getByLabel('Allowed hosts, one a line').first();
    await hosts.fill('A.example\nhttps://b.example');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('"https://b.example" is not host').waitFor();
    browser.forgive(/400/);
    await hosts.fill('A.example\n*.b.example:8080');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Network saved').waitFor();
    expect(await hosts.inputValue()).toBe('a.example\n*.b.example:8080');
    expect(await page.getByLabel('Presets').first().inputValue()).toBe('model, npm');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('shows what an attempt was refused, and allows it', async () => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}`);
    await page.getByText('Network', { exact: true }).click();
    await page.getByText('no.example').first().waitFor();
    await page.getByRole('button', { name: 'Allow no.example' }).click();
    await page.getByRole('button', { name: 'Allow no.example' }).waitFor({ state: 'detached' });
    const { allowed_hosts } = await server.rest.does('GET', `/api/projects/${project_id}`);
    expect(allowed_hosts).toContain('no.example');
    expect(await violationsOn(page)).toEqual([]);
  });
});
