// Takes the pictures of docs/pictures/: ten views of a server of its own, light, dark and on a phone, as WebP.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { OwnServer } from './own-server.mjs';
import { furnish } from './pictures/scene.mjs';

const target = path.join(import.meta.dirname, '..', 'docs', 'pictures');
const QUALITY = 80;
const WIDE = { viewport: { width: 1440, height: 900 } };
const LOOKS = {
  light: { ...WIDE, colorScheme: 'light' },
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true, hasTouch: true },
};
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-pictures-'));
chmodSync(folder, 0o711); // the embedded database may run as another user, who must pass through
const server = await OwnServer.start(folder);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
try {
  const views = await furnish(server, folder);
  mkdirSync(target, { recursive: true });
  for (const old of readdirSync(target)) rmSync(path.join(target, old));
  for (const [look, options] of Object.entries(LOOKS)) await takeAll(views, look, options);
} finally {
  await browser.close();
  await server.end();
  rmSync(folder, { recursive: true, force: true });
}

async function takeAll(views, look, options) {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  await signIn(context);
  for (const [name, { address, until }] of Object.entries(views)) {
    const page = await context.newPage();
    await page.goto(`${server.url}/ui${address}`);
    await page.locator(until).filter({ visible: true }).first().waitFor();
    await page.evaluate('document.fonts.ready');
    await page.waitForTimeout(1_000); // what is read last is drawn, too
    await take(page, path.join(target, `${name}-${look}.webp`));
    await page.close();
  }
  await context.close();
}

async function signIn(context) {
  if (server.token === null) return;
  const headers = { origin: server.url };
  const answer = await context.request.post(`${server.url}/ui/session`, { data: { token: server.token }, headers });
  const { page_secret } = await answer.json();
  await context.addInitScript(`localStorage.setItem('taskyard-page', '${page_secret}')`);
}

async function take(page, file) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(file, Buffer.from(data, 'base64'));
  console.log(path.basename(file));
}
