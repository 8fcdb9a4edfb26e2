import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { barriersOn, bringAxe, overflowAt } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { givenRows, type PageRow } from '../support/page-rows.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
/** Only the style sheet knows of widths, so that a view which is open is laid out as one which is opened there. */
const WIDTHS = [320, 390, 768, 1440];
const LOOKED_AT = [320, 1440];

describePages('every view, state and dialog', () => {
  const server = TestServer.use();
  let rows: PageRow[];
  beforeAll(async () => {
    rows = await givenRows(server);
  });

  it('can be used by everybody, at every width, in light and in dark', async () => {
    const page = await browser.prepare(server.url, { reducedMotion: 'reduce' });
    await bringAxe(page);
    const found: string[][] = [];
    for (const [name, address, act] of rows) {
      await page.setViewportSize({ width: WIDTHS[0]!, height: 900 });
      await page.goto(`${server.url}/ui${address}`);
      await settle(page);
      await act?.(page);
      for (const width of WIDTHS) found.push([`${name}, ${width} px`, ...(await foundAt(page, width))]);
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

async function foundAt(page: Page, width: number): Promise<string[]> {
  const overflow = await overflowAt(page, width);
  const barriers = LOOKED_AT.includes(width) ? await barriersOn(page) : [];
  return overflow > 0 ? [`is ${overflow} px too wide`, ...barriers] : barriers;
}
