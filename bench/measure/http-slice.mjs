import { Connection } from './connection.mjs';
import { median } from './statistics.mjs';

/** @param request the bytes, or a function that makes those of the next one
 *  Makes a function that sends `count` requests over `inFlight` connections and answers the medians of that slice:
 *  server CPU of one request (µs), latency (ms), requests a second. */
export async function httpSlice(server, request, { count = 200, inFlight = 8 } = {}) {
  const connections = await Promise.all(Array.from({ length: inFlight }, () => Connection.open(server.url)));
  return async () => {
    const before = await server.usage();
    const startedAt = performance.now();
    const latencies = await sendAll(connections, request, count);
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await server.usage();
    return { cpuUs: (after.cpuUs - before.cpuUs) / count, latencyMs: median(latencies), perSecond: count / seconds };
  };
}

async function sendAll(connections, request, count) {
  const latencies = [];
  let left = count;
  await Promise.all(
    connections.map(async (connection) => {
      for (; left > 0;) {
        left -= 1;
        const bytes = typeof request === 'function' ? request() : request;
        const sentAt = performance.now();
        await connection.send(bytes);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  return latencies;
}
