import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WHOLE = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const CONTRAST = { type: 'rule', values: ['color-contrast'] };

/** Everything that axe finds on the page as it stands. */
export const violationsOn = (page: Page): Promise<string[]> => foundBy(page, WHOLE);

/** What axe finds, and what is too faint in the dark. */
export async function barriersOn(page: Page): Promise<string[]> {
  const faint = await foundBy(page, CONTRAST, 'dark');
  const found = await foundBy(page, WHOLE, 'light');
  return [...faint.map((one) => `in the dark, ${one}`), ...found];
}

/** By how many pixels something is wider than the screen, once that is so wide. */
export async function overflowAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 900 });
  return page.evaluate<number>('Math.max(document.documentElement.scrollWidth - innerWidth, 0)');
}

/** Has axe in every document from the next one on, past the policy of the page, which lets no inline script in. */
export const bringAxe = (page: Page): Promise<unknown> => page.addInitScript(axeSource);

/** Of what passes, axe describes nothing and nothing is sent here: that takes longer than to look. */
async function foundBy(page: Page, runOnly: typeof WHOLE, colorScheme?: 'dark' | 'light'): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // no colour that is between two
  const isThere = await page.evaluate<boolean>(`'axe' in window`);
  if (!isThere) await page.evaluate(axeSource);
  return page.evaluate<string[]>(`axe
    .run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`);
}

/** Narrow and wide: axe finds nothing, and nothing is wider than the screen. */
export async function expectFitting(page: Page, view: string): Promise<void> {
  for (const width of [320, 1440]) {
    const overflow = await overflowAt(page, width);
    expect([view, width, overflow, await violationsOn(page)]).toEqual([view, width, 0, []]);
  }
}

/** As wide as the page is: axe finds nothing, in light and in dark. */
export async function expectUsable(page: Page, view: string): Promise<void> {
  expect([view, await barriersOn(page)]).toEqual([view, []]);
}
