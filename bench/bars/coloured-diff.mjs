import { absolute, aside, format } from '../figures.mjs';
import { there, whenThere } from '../ground/drawn.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { inBrowser } from '../ground/tab.mjs';
import { median } from '../measure/statistics.mjs';

/** Files are folded from 500 lines on. */
const SMALL = { files: 30, lines: 200, visits: 5, secs: 1 };
const LARGE = { files: 250, lines: 400, visits: 1, secs: 3 };

/** TypeScript with a keyword in each line, by which the page shows that it is coloured. */
const scriptOf = ({ files, lines }) =>
  `for i in $(seq ${files}); do
     awk 'BEGIN { for (n = 1; n <= ${lines}; n++) printf "const a%d = \\x27%d\\x27;\\n", n, n }' > file-$i.ts
   done`;

/** When all lines are there and when all are coloured; frames that took longer than a person notices. */
const watchOf = (lines) => `
  ${whenThere('.diff-line:not(.hunk)', lines)}
  window.slow = [];
  new PerformanceObserver((list) => window.slow.push(...list.getEntries().map(({ startTime, duration }) =>
    ({ startTime, duration })))).observe({ type: 'long-animation-frame', buffered: true });
  const watchColours = () => {
    if (document.querySelectorAll('.code-keyword').length < ${lines}) return requestAnimationFrame(watchColours);
    requestAnimationFrame(() => { window.coloured = performance.now(); });
  };
  requestAnimationFrame(watchColours);`;

/** The diff of code in the machine's own Chromium: when it is read, and what its colours cost. */
export async function colouredDiff(ground) {
  const server = await ground.server(await ground.database(), { ISOLATION: 'none' });
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const attempts = [];
  for (const size of [SMALL, LARGE]) {
    const { attempt_id } = await loop.start(await loop.task(scriptOf(size)));
    await loop.untilEnded(attempt_id);
    attempts.push([size, `${server.url}/ui/p/${loop.project_id}/a/${attempt_id}/changes`]);
  }
  return inBrowser(async (tabs) => {
    const figures = [];
    for (const [size, url] of attempts) figures.push(...(await measure(tabs, size, url)));
    return figures;
  });
}

async function measure(tabs, size, url) {
  const visits = [];
  while (visits.length < size.visits) visits.push(await tabs.open(url, watchOf(size.files * size.lines), visit));
  const count = format(size.files * size.lines);
  const floor = `${size.files} files, ${size.visits} visits`;
  const secs = median(visits.map(({ drawn, coloured }) => (coloured - drawn) / 1_000));
  const slowest = Math.max(...visits.map(({ slow }) => slow));
  return [
    aside(
      `response of the shell → ${count} lines of code drawn`,
      `${format(median(visits.map((one) => one.all)))} ms`,
      floor,
    ),
    absolute(`${count} lines of code drawn → all coloured, median`, secs, 's', floor, { below: size.secs }),
    absolute(`slowest frame while ${count} lines are coloured`, slowest, 'ms', floor, { below: 50 }),
  ];
}

async function visit(tab) {
  const { at: drawn, shell } = await there(tab);
  let coloured;
  while (!coloured) {
    await tab.waitForTimeout(20);
    coloured = await tab.evaluate('window.coloured');
  }
  const slow = await tab.evaluate('window.slow');
  // the frame in which the last line was drawn is none of colouring
  const ofColours = slow.filter(({ startTime }) => startTime > drawn);
  return { drawn, coloured, all: drawn - shell, slow: Math.max(0, ...ofColours.map(({ duration }) => duration)) };
}
