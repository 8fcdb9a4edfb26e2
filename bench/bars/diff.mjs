import { absolute, aside, format } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { inBrowser } from '../ground/tab.mjs';
import { there, whenThere } from '../ground/tab-watch.mjs';
import { median } from '../measure/statistics.mjs';

const ROUNDS = 7;
const FILES = 30;
const LINES = 200;
/** Code with what grammars look for: words, numbers, strings, comments. */
const CODE = `for i in $(seq ${FILES}); do awk 'BEGIN { for (n = 1; n <= ${LINES}; n++)
  printf "export const value%d = read(\"key-%d\", { limit: %d, isOpen: true }); // line %d\\n", n, n, n, n
}' > file-$i.ts; done`;

/** A large diff in the machine's own Chromium: drawn plain, then coloured beside the page. */
export async function diff(ground) {
  const server = await ground.server(await ground.database(), { ISOLATION: 'none' });
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const { attempt_id } = await loop.start(await loop.task(CODE));
  await loop.untilEnded(attempt_id);
  const url = `${server.url}/ui/p/${loop.project_id}/a/${attempt_id}/changes`;
  return inBrowser(async (tabs) => {
    const plain = await tabs.open(url, '', (tab) => tab.evaluate(plainLines(FILES * LINES)));
    const visits = [];
    while (visits.length < ROUNDS) visits.push(await visit(tabs, url));
    return figures(visits, plain);
  });
}

async function visit(tabs, url) {
  return tabs.open(url, `${whenThere('.diff-line', FILES * LINES)} ${NOTE_TASKS}`, async (tab) => {
    const { at, shell } = await there(tab);
    const coloured = await colouredAt(tab);
    const [answered, tasks] = await tab.evaluate(`[${PATCH_AT}, window.tasks]`);
    const longest = Math.max(0, ...tasks.filter(({ start }) => start > at).map(({ duration }) => duration));
    return { drawn: at - answered, all: at - shell, colouring: coloured - at, longest };
  });
}

function figures(visits, plain) {
  const of = (figure) => median(visits.map((one) => one[figure]));
  const what = `${format(FILES * LINES)} lines`;
  const floor = `${FILES} files, ${ROUNDS} visits; so many plain lines of HTML take ${format(plain)} ms`;
  return [
    absolute(`answer of the server → a diff of ${what} drawn, median`, of('drawn'), 'ms', floor, { below: 300 }),
    aside('the same from the response of the shell', `${format(of('all'))} ms`, floor),
    absolute(`drawn → all ${what} coloured, median`, of('colouring'), 'ms', floor, { below: 1_000 }),
    absolute('longest task of the page meanwhile, median', of('longest'), 'ms', 'none of 50 ms is told', { below: 50 }),
  ];
}

const PATCH_AT = `Math.max(...performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('/patch')).map(({ responseEnd }) => responseEnd))`;

/** What keeps the page from drawing for 50 ms and more. */
const NOTE_TASKS = `
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.tasks.push({ start: startTime, duration });
  }).observe({ type: 'longtask', buffered: true });`;

/** When the last line had its colours, in milliseconds of the tab. */
const colouredAt = (tab) =>
  tab.evaluate(`new Promise((done) => {
    const look = () => {
      const left = document.querySelectorAll('.diff-line.added .text:not(:has(span))').length;
      if (left > 0) return setTimeout(look, 5);
      requestAnimationFrame(() => done(performance.now()));
    };
    look();
  })`);

/** Milliseconds until the same tab has drawn lines that are nothing but text. */
const plainLines = (count) => `new Promise((done) => {
  const begun = performance.now();
  document.body.innerHTML = '<div>a line of text</div>'.repeat(${count});
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
})`;
