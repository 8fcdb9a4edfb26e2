// A process that runs the built servers of one worker's test files, one file after another: what a server loads and
// compiles is loaded and compiled once, and its children are forked from a small process.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createApp } from '../../dist/src/bootstrap.js';
import { loadEnvironment } from '../../dist/src/config/environment.js';

// To start a process copies the tables of this one's memory, however little of it is still in use.
const LARGE_BYTES = 250 * 1024 * 1024;

const apps = new Map();
/** The server that test files share, once one has asked for it. */
let shared = null;

const actions = {
  look: () => ({ pid: process.pid, shared }),

  async start({ settings, databaseUrl, isShared }) {
    const app = await createApp(loadEnvironment(settings), databaseUrl);
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    apps.set(url, app);
    if (isShared) shared = { url, settings, databaseUrl };
    return { url, pid: process.pid };
  },

  async stop({ url }) {
    const app = apps.get(url);
    apps.delete(url);
    await app.close();
    if (process.memoryUsage.rss() > LARGE_BYTES) globalThis.gc();
    return {};
  },
};

/** Answers what the action returns, or the message of what it threw. */
const server = createServer(async (request, response) => {
  try {
    response.end(JSON.stringify(await actions[request.url.slice(1)](await json(request))));
  } catch (error) {
    response.writeHead(500).end(JSON.stringify({ error: error.message, stack: error.stack }));
  }
});
server.requestTimeout = 0;
const [socket] = process.argv.slice(2);
rmSync(socket, { force: true }); // of a host that died
server.listen(socket, () => process.send('ready'));
// the run that started it is over, however it ended
process.on('disconnect', () => {
  server.close(); // takes its socket away
  void endShared().finally(() => process.exit());
});

async function endShared() {
  if (!shared) return;
  await actions.stop(shared);
  rmSync(shared.settings.DATA_DIR, { recursive: true, force: true });
}
