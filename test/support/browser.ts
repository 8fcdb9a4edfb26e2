import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  chromium,
  type Page,
} from 'playwright-core';
import { tolerate } from './leaks.js';
import { tokenOf } from './local-tokens.js';
import { CHROMIUM, machineHas, onlyWith } from './machine.js';

const PICTURES = path.join(import.meta.dirname, '../../results/pages');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const FLAGS = ['--no-sandbox', ...QUIET, '--disable-component-update', '--disable-sync'];
interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}
const WHOLE = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const CONTRAST = { type: 'rule', values: ['color-contrast'] };

/** Tests in the machine's own Chromium. */
export const describePages = onlyWith('chromium').describe;

/** A browser for the file, whose pages are watched: each error on a console, and each violation of the policy, fails
 *  the test that caused it. */
export class PageBrowser {
  private server?: BrowserServer;
  private browser?: Browser;
  private readonly faults: string[] = [];

  static use(): PageBrowser {
    const own = new PageBrowser();
    beforeAll(async () => {
      if (machineHas('chromium')) await own.launch();
    });
    afterEach(async () => {
      for (const context of own.browser?.contexts() ?? []) await context.close();
      own.expectNoFaults();
    });
    afterAll(async () => {
      await own.browser?.close();
      await own.server?.close();
    });
    return own;
  }

  private async launch(): Promise<void> {
    this.server = await chromium.launchServer({ executablePath: CHROMIUM, args: FLAGS });
    tolerate(this.server.process().pid!);
    this.browser = await chromium.connect(this.server.wsEndpoint());
  }

  /** A tab of a browser that has seen nothing yet, of the owner of the server or of whoever has the token. */
  async open(url: string, options: BrowserContextOptions = {}, token?: string): Promise<Page> {
    const page = await this.prepare(url, options, token);
    await page.goto(url);
    return page;
  }

  /** The same before it goes anywhere. */
  async prepare(url: string, options: BrowserContextOptions = {}, token = tokenOf(url)): Promise<Page> {
    const context = await this.browser!.newContext({ viewport: { width: 1280, height: 860 }, ...options });
    if (token !== undefined) await signIn(context, new URL(url).origin, token);
    const page = await context.newPage();
    this.watch(page);
    return page;
  }

  watch(page: Page): void {
    page.setDefaultTimeout(60_000);
    page.on('pageerror', ({ message }) => this.faults.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
  }

  /** Forgets what a test has caused on purpose. */
  forgive(expected: RegExp): void {
    this.faults.splice(0, Infinity, ...this.faults.filter((fault) => !expected.test(fault)));
  }

  private expectNoFaults(): void {
    expect(this.faults.splice(0)).toEqual([]);
  }
}

/** As the sign-in does: a cookie, and a secret that the page keeps. */
async function signIn(context: BrowserContext, origin: string, token: string): Promise<void> {
  const answer = await context.request.post(`${origin}/ui/session`, { data: { token }, headers: { origin } });
  const { page_secret } = (await answer.json()) as { page_secret: string };
  await context.addInitScript(`localStorage.setItem('taskyard-page', '${page_secret}')`);
}

/** Everything that axe finds on the page as it stands. */
export const violationsOn = (page: Page): Promise<string[]> => foundBy(page, WHOLE);

/** Colours that cannot be told apart, as the page stands. */
export const faintOn = (page: Page): Promise<string[]> => foundBy(page, CONTRAST);

async function foundBy(page: Page, runOnly: typeof WHOLE): Promise<string[]> {
  await page.evaluate(axeSource); // past the policy of the page, which lets no inline script in
  const run = `axe.run(document, ${JSON.stringify({ runOnly })})`;
  const { violations } = await page.evaluate<AxeResults>(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** Narrow and wide: axe finds nothing, and nothing is wider than the screen. */
export async function expectFitting(page: Page, view: string): Promise<void> {
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect([view, width, Math.max(overflow, 0), await violationsOn(page)]).toEqual([view, width, 0, []]);
  }
}

/** Axe finds nothing, in light and in dark. Pictures of both are kept as artefacts of the run. */
export async function expectUsable(page: Page, view: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // no colour that is between two
    expect([colorScheme, await violationsOn(page)]).toEqual([colorScheme, []]);
    await page.screenshot({ path: path.join(PICTURES, `${view}-${colorScheme}.png`) });
  }
}
