import { readdirSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const viewport = { width: 1280, height: 860 };

/** Tabs of the machine's own Chromium. @returns what the work returns */
export async function inBrowser(work) {
  const server = await chromium.launchServer({ executablePath, args });
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    return await work(new Tabs(browser, server.process().pid));
  } finally {
    await server.close();
  }
}

class Tabs {
  constructor(browser, pid) {
    this.browser = browser;
    this.pid = pid;
  }

  get version() {
    return `Chromium ${this.browser.version()}`;
  }

  /** In a tab that has seen nothing yet. @param script runs before any of the page's */
  async open(url, script, work) {
    const context = await this.browser.newContext({ viewport });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await page.addInitScript(script);
      await page.goto(url);
      return await work(page);
    } finally {
      await context.close();
    }
  }

  /** Resident memory of the largest tab, in bytes. */
  memory() {
    const renderers = below(this.pid).filter((pid) => procFile(pid, 'cmdline').includes('--type=renderer'));
    return Math.max(...renderers.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(procFile(pid, 'status'))?.[1] ?? 0) * 1024));
  }
}

function below(pid) {
  const parentOf = (one) => Number(/^PPid:\s+(\d+)/m.exec(procFile(one, 'status'))?.[1]);
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = [pid];
  for (const parent of found) found.push(...all.map(Number).filter((one) => parentOf(one) === parent));
  return found;
}

function procFile(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
