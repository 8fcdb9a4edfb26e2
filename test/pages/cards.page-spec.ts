import { beforeAll, expect, it } from '@jest/globals';
import { givenProject } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('columns and cards', () => {
  const server = TestServer.use();
  let project_id: string;
  const add = (title: string) =>
    server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title, tags: ['one'] });
  const open = (query = '', options = {}) => browser.open(`${server.url}/ui/p/${project_id}${query}`, options);

  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    await add(`Read \`config.json\` and **keep** it, ${'word after word '.repeat(20)}`);
    await add('Second');
  });

  it('has full columns as tall as the screen, and empty ones folded', async () => {
    const page = await open();
    const column = (name: string) => page.getByRole('region', { name });
    await column('To do').getByRole('link', { name: 'Second' }).waitFor();
    const boxOf = async (name: string) => (await column(name).boundingBox())!;
    expect((await boxOf('To do')).height).toBeGreaterThan(600);
    expect((await boxOf('Done')).width).toBeLessThan(60);
    await column('Done').getByRole('button', { name: 'Done 0' }).click();
    expect((await boxOf('Done')).width).toBeGreaterThan(200);
  });

  it('shows at most three lines of a title, with its Markdown', async () => {
    const page = await open();
    const title = page.getByRole('link', { name: /^Read config\.json/ });
    await title.waitFor();
    expect(await title.locator('code').innerText()).toBe('config.json');
    expect(await title.locator('strong').innerText()).toBe('keep');
    expect((await title.boundingBox())!.height).toBeLessThan(66);
  });

  it('moves no card away from under the pointer when another one comes', async () => {
    const page = await open();
    const second = page.getByRole('link', { name: 'Second' });
    await second.hover();
    const before = await second.boundingBox();
    await add('Made by somebody else');
    await page.getByRole('link', { name: 'Made by somebody else' }).waitFor();
    expect(await second.boundingBox()).toEqual(before);
  });

  it('stays with a card that was moved by keyboard', async () => {
    const title = 'Goes by keyboard';
    await add(title);
    const page = await open();
    await page.getByRole('link', { name: title }).focus();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'In review', exact: true }).press('Enter');
    const there = page.getByRole('region', { name: 'In review' }).getByRole('link', { name: title });
    await there.waitFor();
    await eventually('the focus', async () => (await page.evaluate('document.activeElement?.textContent')) === title);
  });

  it('reads the board once, and takes no parameter that is not its own', async () => {
    const page = await browser.prepare(server.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.route(/api\/events/, () => undefined); // what it tells would be read anew
    await page.goto(`${server.url}/ui/p/${project_id}?utm_source=chat&tag=one`);
    await page.getByRole('link', { name: 'Second' }).waitFor();
    await page.getByRole('list', { name: 'Boards' }).waitFor();
    expect(asked.filter((path) => path.endsWith('/board')).length).toBe(1);
    expect(asked.filter((path) => path.endsWith(project_id)).length).toBe(2); // the shell, and the project
    await page.waitForURL(/\?tag=one$/);
  });

  it('has one column with tabs on a telephone', async () => {
    const page = await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const columns = page.getByRole('group', { name: 'Columns' });
    await columns.getByRole('button', { name: /^To do/ }).tap();
    await page.getByRole('region', { name: 'To do' }).getByRole('link', { name: 'Second' }).waitFor();
    expect(await page.getByRole('region', { name: 'In review' }).count()).toBe(0);
    await columns.getByRole('button', { name: /^In review/ }).tap();
    await page.getByRole('region', { name: 'In review' }).getByRole('link').first().waitFor();
  });

  it('says how many a column holds, and that not all of them are drawn', async () => {
    const { project_id: full } = await givenProject(server, { name: 'Full' });
    const path = `/api/projects/${full}/tasks`;
    for (let count = 0; count < 55; count += 1) await server.rest.answers(201, 'POST', path, { title: `No ${count}` });
    const page = await browser.open(`${server.url}/ui/p/${full}`);
    const column = page.getByRole('region', { name: 'To do' });
    await column.getByRole('button', { name: 'To do 55' }).waitFor();
    expect(await column.getByRole('article').count()).toBe(50);
    await column.getByText('The newest 50 are shown').waitFor();
  });
});
