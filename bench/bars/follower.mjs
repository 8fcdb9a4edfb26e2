import { createClient } from '../../dist/bundle/client.js';
import { format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { asOwner } from '../measure/connection.mjs';
import { interleave } from '../measure/interleave.mjs';
import { tell } from '../slices.mjs';

const LINES = 100_000;

/** A client that follows a log of many lines, against the bytes of the same stream, which nobody looks into. */
export async function follower(ground) {
  const server = await ground.server(await ground.database());
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const { attempt_id } = await loop.start(await loop.task(`seq ${LINES}`));
  await loop.untilEnded(attempt_id);
  const slices = await interleave(
    { raw: () => rawStream(server.url, attempt_id), followed: () => followed(server.url, attempt_id) },
    { figure: 'ms', min: 5, max: 9, warmUp: 2 },
  );
  const { medianOf, times } = tell(slices);
  return [
    ratio(
      `${format(LINES)} lines followed by taskyard/client`,
      `${format(medianOf('followed', 'ms'))} ms`,
      `the same stream as bytes: ${format(medianOf('raw', 'ms'))} ms`,
      times('followed', 'raw', 'ms'),
      { atMost: 1.5 },
    ),
  ];
}

async function rawStream(url, attempt_id) {
  const startedAt = performance.now();
  const read = async (path) => fetch(`${url}${path}`, { headers: asOwner(url) });
  const { executions } = await (await read(`/api/attempts/${attempt_id}/executions`)).json();
  const agent = executions.find(({ run_reason }) => run_reason === 'codingagent');
  const { body } = await read(`/api/executions/${agent.execution_process_id}/logs/stream?channel=raw`);
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (chunk.subarray(-200).includes('event: end')) break;
  }
  if (bytes < LINES * 10) throw new Error(`the stream had ${bytes} bytes`);
  return { ms: performance.now() - startedAt };
}

async function followed(url, attempt_id) {
  const startedAt = performance.now();
  const { authorization = '' } = asOwner(url);
  const client = createClient({ baseUrl: url, token: authorization.replace('Bearer ', '') });
  let next = 1;
  for await (const { entry } of client.followLog(attempt_id, { channel: 'raw' })) {
    if (entry.type !== 'stdout') continue;
    if (entry.content !== String(next)) throw new Error(`line ${next} is ${JSON.stringify(entry.content)}`);
    next += 1;
  }
  if (next !== LINES + 1) throw new Error(`${next - 1} of ${LINES} lines came`);
  return { ms: performance.now() - startedAt };
}
