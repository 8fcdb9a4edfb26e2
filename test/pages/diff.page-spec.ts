import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { Json } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4ISeHFTEMLQkAkL9BAc9woTwAAAAASUVORK5CYII=';
const BLUE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mOQszmBFTEMLQkAKexIgflpQ4cAAAAASUVORK5CYII=';
const numbered = (prefix: string) => Array.from({ length: 90 }, (_, at) => `${prefix} ${at + 1}\n`).join('');
const FILES = {
  'src/code.ts': 'export const a = 1;\n  // kept\nexport const b = 2;\n',
  'src/long.txt': numbered('line'),
  'logo.png': Buffer.from(RED, 'base64'),
};
const SCRIPT = `
  printf 'export const a = "one";\\n    // kept\\nexport const b = 2;\\n' > src/code.ts
  sed -i 's/line 45/LINE 45/' src/long.txt
  echo ${BLUE} | base64 -d > logo.png
  echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > mark.svg`;

describePages('the diff of an attempt', () => {
  const server = TestServer.use();
  let address: string;
  let attempt_id: string;
  beforeAll(async () => {
    const { project_id } = await givenProject(server, { files: FILES });
    ({ attempt_id } = (await givenEndedAttempt(await server.mcp(), project_id, SCRIPT)) as { attempt_id: string });
    address = `${server.url}/ui/p/${project_id}/a/${attempt_id}/changes`;
  });
  const open = async (): Promise<Page> => {
    const page = await browser.open(address);
    await patchOf(page, 'src/code.ts').getByText('"one"').first().waitFor();
    return page;
  };
  const patchOf = (page: Page, name: string) => page.getByRole('group', { name: `Changes of web/${name}` });
  const textsOf = (page: Page, name: string, kind: string) =>
    patchOf(page, name).locator(`.diff-line.${kind} .text`).allTextContents();
  const option = (page: Page, name: string) => page.getByRole('checkbox', { name });
  const comments = async () =>
    (await server.rest.does('GET', `/api/attempts/${attempt_id}/comments`)).comments as Json[];

  it('has the colours of its language, and nothing else is changed by them', async () => {
    const page = await open();
    const code = patchOf(page, 'src/code.ts');
    await code.locator('.added .code-string', { hasText: '"one"' }).waitFor();
    await code.locator('.deleted .code-number', { hasText: '1' }).waitFor();
    await code.locator('.code-keyword', { hasText: 'export' }).first().waitFor();
    expect(await textsOf(page, 'src/code.ts', 'added')).toEqual(['export const a = "one";', '    // kept']);
    expect(await patchOf(page, 'src/long.txt').locator('[class^=code-]').count()).toBe(0);
    await expectUsable(page, 'diff');
  });

  it('stands in one column or side by side, wrapped, without white space, as this browser prefers', async () => {
    const page = await open();
    await option(page, 'Side by side').check();
    await option(page, 'Wrap lines').check();
    await option(page, 'Ignore white space').check();
    const code = patchOf(page, 'src/code.ts');
    await code.locator('.pair').first().waitFor();
    await code.locator('.deleted', { hasText: '// kept' }).waitFor({ state: 'detached' });
    expect(await code.locator('.pair').allTextContents()).toEqual([
      'export const a = 1;export const a = "one";',
      '    // kept    // kept',
      'export const b = 2;export const b = 2;',
    ]);
    await expectUsable(page, 'diff-side-by-side');
    await page.reload();
    await code.locator('.pair').first().waitFor();
    expect(await option(page, 'Ignore white space').isChecked()).toBe(true);
    await option(page, 'Ignore white space').uncheck();
    await code.locator('.deleted', { hasText: '// kept' }).waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    await expectUsable(page, 'diff-side-by-side-320');
  });

  it('takes and shows the same comments side by side and in one column', async () => {
    const page = await open();
    await option(page, 'Side by side').check();
    const number = (half: string, text: string) =>
      patchOf(page, 'src/code.ts').locator(`[data-side=${half}]`, { hasText: text }).locator('.number');
    const say = async (text: string) => {
      await page.getByRole('textbox', { name: 'Comment' }).fill(text);
      await page.getByRole('button', { name: 'Add comment' }).click();
      await page.getByRole('article').getByText(text).waitFor();
    };
    await number('old', 'const b').click();
    await say('As it was');
    await number('new', '"one"').click();
    await number('new', 'const b').click({ modifiers: ['Shift'] });
    expect(await page.locator('.picked').count()).toBe(3);
    await say('As it is');
    expect(await comments()).toMatchObject([
      { side: 'old', line: 3, end_line: 3, lines: 'export const b = 2;' },
      { side: 'new', line: 1, end_line: 3 },
    ]);
    await option(page, 'Side by side').uncheck();
    await page.locator('.pair').first().waitFor({ state: 'detached' });
    await page.getByRole('article').getByText('As it was').waitFor();
    await page.getByRole('article').getByText('As it is').waitFor();
  });

  it('shows more where it is asked for, up to the whole file', async () => {
    const page = await open();
    const long = patchOf(page, 'src/long.txt');
    const more = long.getByRole('button', { name: 'More context' });
    await long.getByText('LINE 45', { exact: true }).waitFor();
    expect(await long.getByText('line 41', { exact: true }).count()).toBe(0);
    await more.first().focus();
    await page.keyboard.press('Enter');
    await long.getByText('line 22', { exact: true }).waitFor();
    for (const folded of ['line 21', 'line 49']) expect(await long.getByText(folded, { exact: true }).count()).toBe(0);
    await more.last().click();
    await long.getByText('line 68', { exact: true }).waitFor();
    for (const folded of ['line 21', 'line 69']) expect(await long.getByText(folded, { exact: true }).count()).toBe(0);
    while ((await more.count()) > 0) await more.first().click();
    await long.getByText('line 1', { exact: true }).waitFor();
    await long.getByText('line 90', { exact: true }).waitFor();
  });

  it('is gone through by keys and by names', async () => {
    const page = await open();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.keyboard.press('j');
    expect(await focused()).toContain('web/logo.png');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toContain('web/src/code.ts');
    await page.keyboard.press('n');
    expect(await focused()).toContain('@@');
    await page.keyboard.press('n');
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    expect(await focused()).toContain('@@');
    const files = page.getByRole('navigation', { name: 'Files' });
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('LONG');
    expect(await files.getByRole('link').allTextContents()).toEqual([expect.stringContaining('long.txt')]);
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('nowhere');
    await files.getByText('No file has that in its path.').waitFor();
  });

  it('keeps the name of a file in sight while its lines pass', async () => {
    const page = await open();
    const long = patchOf(page, 'src/long.txt');
    await long.getByRole('button', { name: 'More context' }).last().click();
    await long.getByText('line 60', { exact: true }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 300);
    const name = page.locator('.file', { has: long }).locator('summary');
    const box = (await name.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y).toBeLessThan(100);
  });

  it('shows pictures as they were beside what they are, and drawings as text', async () => {
    const page = await open();
    const sources = page.locator('.images img');
    await sources.nth(1).waitFor();
    expect(await sources.evaluateAll((all) => all.map((one) => one.getAttribute('src')))).toEqual([
      `data:image/png;base64,${RED}`,
      `data:image/png;base64,${BLUE}`,
    ]);
    await page.getByRole('img', { name: 'web/logo.png, before' }).waitFor();
    await patchOf(page, 'mark.svg').getByText('<svg').waitFor();
    expect(await sources.count()).toBe(2);
  });
});
