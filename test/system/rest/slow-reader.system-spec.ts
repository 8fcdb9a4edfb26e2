import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { EventStream } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { InProcessBoard } from '../../support/in-process-server.js';

const board = InProcessBoard.use();

it('waits for a slow reader of a log instead of keeping everything in memory', async () => {
  const { project_id } = await board.project();
  const { execution_process_id } = await board.endedAttempt(project_id, 'seq 1 50000');
  const warnings: string[] = [];
  const warn = (warning: Error) => {
    warnings.push(warning.message);
  };
  process.on('warning', warn);
  const answered = new Promise<ServerResponse>((resolve) => {
    board.server.app.getHttpServer().once('request', (_: unknown, answer: ServerResponse) => resolve(answer));
  });
  const stream = await EventStream.open(
    `${board.server.url}/api/executions/${execution_process_id as string}/logs/stream?channel=raw`,
  );
  const answer = await answered;
  stream.answer.pause();
  await eventually('the server to wait for the reader', () => answer.writableNeedDrain);
  expect(answer.writableLength).toBeLessThan(1024 * 1024);
  stream.answer.resume();
  const entries = await stream.entries();
  expect(entries).toHaveLength(50_000);
  expect(entries.findIndex(({ entry }, index) => entry.content !== String(index + 1))).toBe(-1);
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});
