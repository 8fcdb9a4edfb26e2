import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describePages, faintOn, PageBrowser, violationsOn } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { givenRows, type PageRow } from '../support/page-rows.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const WIDTHS = [320, 390, 768, 1440];

describePages('every view, state and dialog', () => {
  const server = TestServer.use();
  let rows: PageRow[];
  beforeAll(async () => {
    rows = await givenRows(server);
  });

  it.each(WIDTHS)('can be used by everybody at %d px, in light and in dark', async (width) => {
    const page = await browser.open(`${server.url}/ui`, { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    const found: string[][] = [];
    for (const [name, address, act] of rows) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${server.url}/ui${address}`);
      await settle(page);
      await act?.(page);
      found.push([name, ...(await violationsOn(page))]);
      await page.emulateMedia({ colorScheme: 'dark' });
      found.push([`${name} in the dark`, ...(await faintOn(page))]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) found.push([name, `is ${overflow} px too wide`]);
    }
    expect(found.filter(({ length }) => length > 1)).toEqual([]);
    browser.forgive(/status of 404/);
  });
});

async function settle(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await eventually('an end of loading', () => page.evaluate<boolean>(`document.querySelector('.loading') === null`));
  await page.waitForLoadState('load');
}
