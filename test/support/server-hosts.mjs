import { fork } from 'node:child_process';
import { once } from 'node:events';

/** One host a worker, listening at `<sockets>-<worker>`. One that dies is replaced, so that what killed it fails one
 *  test file alone. @returns what ends them */
export async function startServerHosts(sockets, workers) {
  let isOver = false;
  const hosts = new Map();
  const start = async (worker) => {
    const host = fork(new URL('server-host.mjs', import.meta.url), [`${sockets}-${worker}`], {
      execArgv: ['--enable-source-maps', '--expose-gc'],
    });
    hosts.set(worker, host);
    await ready(host);
    host.once('exit', () => isOver || void start(worker));
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => start(index + 1)));
  return async () => {
    isOver = true;
    await Promise.all([...hosts.values()].map((host) => (host.disconnect(), once(host, 'exit'))));
  };
}

/** @throws when it ends instead, which every further one would do too */
async function ready(host) {
  const ended = once(host, 'exit').then(([code]) => {
    throw new Error(`a host of the tests' servers ended with ${code} before it was ready`);
  });
  await Promise.race([once(host, 'message'), ended]);
}
