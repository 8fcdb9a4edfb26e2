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

const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const FLAGS = ['--no-sandbox', '--process-per-site', ...QUIET, '--disable-component-update', '--disable-sync'];

/** Tests in the machine's own Chromium. */
export const describePages = onlyWith('chromium').describe;

/** A browser for the file, whose pages are watched: each error on a console, and each violation of the policy, fails
 *  the test that caused it. */
export class PageBrowser {
  private server?: BrowserServer;
  private browser?: Browser;
  private readonly faults: string[] = [];
  private first?: FirstVisitor;

  static use(): PageBrowser {
    const own = new PageBrowser();
    beforeAll(async () => {
      if (machineHas('chromium')) await own.launch();
    });
    afterEach(async () => {
      for (const context of own.browser?.contexts() ?? []) if (context !== own.first?.context) await context.close();
      await own.first?.leave();
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
    const page = await this.enter(url, options);
    if (token !== undefined) await signIn(page, new URL(url).origin, token);
    this.watch(page);
    return page;
  }

  private async enter(url: string, options: BrowserContextOptions): Promise<Page> {
    const settings = { viewport: { width: 1280, height: 860 }, ...options };
    if (Object.keys(options).length > 0 || this.first?.isHere)
      return (await this.browser!.newContext(settings)).newPage();
    this.first ??= await FirstVisitor.of(await this.browser!.newContext(settings), url);
    return this.first.enter(url);
  }

  watch(page: Page): void {
    page.setDefaultTimeout(60_000);
    page.on('pageerror', ({ message, stack }) => this.faults.push(stack ?? message));
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

/** Who comes first in each test that asks for no other screen. It leaves without what was stored; what was compiled
 *  stays, of which a page costs half: the process of a site lives as long as the tab that is kept there. */
class FirstVisitor {
  private readonly origins = new Set<string>();
  isHere = false;

  private constructor(
    readonly context: BrowserContext,
    private readonly kept: Page,
  ) {}

  static async of(context: BrowserContext, url: string): Promise<FirstVisitor> {
    const kept = await context.newPage();
    await kept.goto(new URL('/health/live', url).href).catch(() => undefined); // whatever the answer is
    return new FirstVisitor(context, kept);
  }

  enter(url: string): Promise<Page> {
    this.isHere = true;
    this.origins.add(new URL(url).origin);
    return this.context.newPage();
  }

  async leave(): Promise<void> {
    if (!this.isHere) return;
    this.isHere = false;
    for (const page of this.context.pages()) if (page !== this.kept) await page.close();
    await this.context.setOffline(false);
    await this.context.clearCookies();
    const session = await this.context.newCDPSession(this.kept);
    for (const origin of this.origins)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
  }
}

/** As the sign-in does: a cookie, and a secret that the page keeps. */
async function signIn(page: Page, origin: string, token: string): Promise<void> {
  const answer = await page.context().request.post(`${origin}/ui/session`, { data: { token }, headers: { origin } });
  const { page_secret } = (await answer.json()) as { page_secret: string };
  await page.addInitScript(`localStorage.setItem('taskyard-page', '${page_secret}')`);
}
