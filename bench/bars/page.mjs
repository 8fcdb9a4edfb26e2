import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { absolute, aside, format } from '../figures.mjs';
import { there, whenThere } from '../ground/drawn.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { inBrowser } from '../ground/tab.mjs';
import { median, quantile } from '../measure/statistics.mjs';

const ROUNDS = 7;
const LINES = 100_000;
const LIVE_LINES = 300;
const MIB = 2 ** 20;
const assets = path.join(import.meta.dirname, '../../dist/src/pages/client/assets');

/** Coloured lines, as build tools print them. */
const FLOOD = `awk 'BEGIN { for (i = 1; i <= ${LINES}; i++) printf "\\033[32mok\\033[0m line %d of a build\\n", i }'`;
/** Each line is the moment at which it was printed, in seconds. */
const TICKS = `for i in $(seq ${LIVE_LINES}); do echo $EPOCHREALTIME; sleep 0.02; done`;
const DIFF = 'for i in $(seq 30); do seq 200 > file-$i.txt; done';

/** The page for people in the machine's own Chromium, on a running server. */
export async function page(ground) {
  const server = await ground.server(await ground.database(), { ISOLATION: 'none' });
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const ui = `${server.url}/ui/p/${loop.project_id}`;
  const attempt = async (script) => {
    const { attempt_id } = await loop.start(await loop.task(script));
    return { attempt_id, url: `${ui}/a/${attempt_id}` };
  };
  const flood = await attempt(FLOOD);
  const diff = await attempt(DIFF);
  await loop.untilEnded(flood.attempt_id);
  await loop.untilEnded(diff.attempt_id);
  return inBrowser(async (tabs) => [
    absolute('JavaScript of the first view, gzipped', kib(firstScripts()), 'KiB', tabs.version, { below: 60 }),
    absolute('JavaScript of all views, gzipped', kib(scripts()), 'KiB', tabs.version, { below: 140 }),
    await firstView(tabs, ui),
    ...(await longLog(tabs, flood.url)),
    await liveLines(tabs, attempt),
    ...(await largeDiff(tabs, diff.url)),
  ]);
}

const scripts = () => readdirSync(assets).filter((name) => name.endsWith('.js'));
const textOf = (name) => readFileSync(path.join(assets, name), 'utf8');
const kib = (names) => names.reduce((sum, name) => sum + gzipSync(textOf(name)).length, 0) / 1_024;

/** The scripts of the shell, and what they import before they run. */
function firstScripts() {
  const found = new Set(scripts().filter((name) => /^(early|main)-/.test(name)));
  for (const name of found)
    for (const [, imported] of textOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) found.add(imported);
  return [...found];
}

async function firstView(tabs, url) {
  const times = [];
  while (times.length < ROUNDS)
    times.push(
      await tabs.open(url, whenThere('.column .card'), async (tab) => {
        const { at, shell } = await there(tab);
        return at - shell;
      }),
    );
  const empty = await tabs.open(url, '', (tab) => tab.evaluate(EMPTY_ANSWER));
  const floor = `board with cards, ${ROUNDS} visits of new browsers; an empty answer takes ${format(empty)} ms`;
  return absolute('response of the shell → first view, median', median(times), 'ms', floor, { below: 300 });
}

/** What the machine can do at that moment: milliseconds of one request without data. */
const EMPTY_ANSWER = `(async () => {
  const begun = performance.now();
  for (let count = 0; count < 10; count += 1) await (await fetch('/health/live')).text();
  return (performance.now() - begun) / 10;
})()`;

async function longLog(tabs, url) {
  return tabs.open(`${url}#L1`, whenThere(`#L${LINES}`), async (tab) => {
    const { at, shell } = await there(tab);
    await tab.waitForTimeout(3_000); // what is not needed any more goes
    const [what, secs] = [`${format(LINES)} coloured lines`, (at - shell) / 1_000];
    return [
      absolute(`response of the shell → ${what} shown`, secs, 's', 'each a node of its own', { below: 3 }),
      absolute(`memory of the tab with ${what}`, tabs.memory() / MIB, 'MiB', 'its whole process', { below: 400 }),
    ];
  });
}

/** By the clock of the machine, which both processes read. */
const NOTE_LAGS = `
  window.lags = [];
  new MutationObserver((changes) => {
    const now = Date.now();
    for (const { addedNodes } of changes) for (const node of addedNodes)
      for (const line of node.nodeType === 1 ? node.querySelectorAll('.line .text') : [])
        if (/^\\d+\\.\\d+$/.test(line.textContent)) window.lags.push(now - Number(line.textContent) * 1000);
  }).observe(document, { childList: true, subtree: true });`;

async function liveLines(tabs, attempt) {
  const { url } = await attempt(`sleep 3; ${TICKS}`);
  const lags = await tabs.open(`${url}#L999999`, NOTE_LAGS, async (tab) => {
    for (;;) {
      const found = await tab.evaluate('window.lags');
      if (found.length >= LIVE_LINES) return found;
      await tab.waitForTimeout(100);
    }
  });
  const floor = `${LIVE_LINES} lines, p50 ${format(median(lags))} ms`;
  return absolute('line printed → on the page, p95', quantile(lags, 0.95), 'ms', floor, { below: 100 });
}

const PATCH_AT = `Math.max(...performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('/patch')).map(({ responseEnd }) => responseEnd))`;

/** Milliseconds until the same tab has drawn lines that are nothing but text. */
const plainLines = (count) => `new Promise((done) => {
  const begun = performance.now();
  document.body.innerHTML = '<div>a line of text</div>'.repeat(${count});
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
})`;

async function largeDiff(tabs, url) {
  const times = [];
  const lines = 30 * 200;
  const plain = await tabs.open(url, '', (tab) => tab.evaluate(plainLines(lines)));
  while (times.length < ROUNDS)
    times.push(
      await tabs.open(`${url}/changes`, whenThere('.diff-line', lines), async (tab) => {
        const { at, shell } = await there(tab);
        const answered = await tab.evaluate(PATCH_AT);
        return { drawn: at - answered, all: at - shell };
      }),
    );
  const floor = `30 files, ${ROUNDS} visits; so many plain lines of HTML take ${format(plain)} ms`;
  return [
    absolute(
      `answer of the server → a diff of ${format(lines)} lines drawn, median`,
      median(times.map(({ drawn }) => drawn)),
      'ms',
      floor,
      { below: 300 },
    ),
    aside('the same from the response of the shell', `${format(median(times.map(({ all }) => all)))} ms`, floor),
  ];
}
