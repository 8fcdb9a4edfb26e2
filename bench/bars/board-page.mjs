import { absolute, format } from '../figures.mjs';
import { fillTasks } from '../ground/board-data.mjs';
import { there, whenThere } from '../ground/drawn.mjs';
import { inBrowser } from '../ground/tab.mjs';
import { median, quantile } from '../measure/statistics.mjs';

const TASKS = 1_000;
/** All that a board draws of so many: the newest of each column. */
const CARDS = 250;
const VISITS = 7;
const KEYS = 100;
const EMPTY_PAGE = 'data:text/html,<input autofocus>';

/** From a key to the frame that shows what it did. */
const NOTE_KEYS = `
  window.lags = [];
  addEventListener('keydown', (event) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => window.lags.push(performance.now() - event.timeStamp);
    port2.postMessage(null); // after the frame was drawn
  }), true);`;

/** The board of a project with a thousand tasks in the machine's own Chromium. */
export async function boardPage(ground) {
  const url = await ground.database();
  const project_id = await fillTasks(await ground.connect(url), 'board', TASKS);
  const server = await ground.server(url, { ISOLATION: 'none' });
  const board = `${server.url}/ui/p/${project_id}`;
  return inBrowser(async (tabs) => {
    const empty = await keysIn(tabs, EMPTY_PAGE);
    return [
      await warmBoard(tabs, board),
      keys('j on the board', await keysIn(tabs, board, 'j'), empty),
      keys('letter in the search of the board', await keysIn(tabs, board, 'a', 'input[type=search]'), empty),
    ];
  });
}

async function warmBoard(tabs, board) {
  const times = await tabs.open(board, whenThere('.column .card', CARDS), async (tab) => {
    const found = [];
    await there(tab);
    while (found.length < VISITS) {
      await tab.reload();
      const { at, shell } = await there(tab);
      found.push(at - shell);
    }
    return found;
  });
  const what = `response of the shell → ${CARDS} cards drawn, warm, median`;
  return absolute(what, median(times), 'ms', `${VISITS} reloads, ${format(TASKS)} tasks`, { below: 400 });
}

const keys = (what, lags, empty) =>
  absolute(
    `key → painted, ${what}, p95`,
    quantile(lags, 0.95),
    'ms',
    `${KEYS} keys beside ${format(TASKS)} tasks; in an empty page ${format(quantile(empty, 0.95))} ms`,
    { below: 50 },
  );

function keysIn(tabs, url, key = 'a', field) {
  return tabs.open(url, `${whenThere('.column .card, input', 1)}${NOTE_KEYS}`, async (tab) => {
    await there(tab);
    await tab.waitForTimeout(1_000);
    if (field) await tab.locator(field).first().focus();
    for (let count = 0; count < KEYS; count += 1) {
      await tab.keyboard.press(key);
      await tab.waitForTimeout(20);
    }
    return tab.evaluate('window.lags');
  });
}
