import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate, untilLine } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

const followUp = (attempt_id: string, action: string, prompt: string): Promise<Json> =>
  board.kanban.call('follow_up', { attempt_id, action, prompt });

describe('a message that is queued behind a run', () => {
  it('is neither lost nor run twice when it is queued in the moment the turn ends', async () => {
    const attempt_id = (await board.endedAttempt(project_id, 'true')).attempt_id as string;
    for (let round = 1; round <= 12; round += 1) {
      await followUp(attempt_id, 'send', 'true');
      await delay(round * 15); // somewhere around its end
      const { execution_process_id, queue_status } = await followUp(attempt_id, 'queue', `echo message ${round}`);
      expect(queue_status).toBe(execution_process_id === null ? 'queued' : 'empty');
      await board.untilEnded(attempt_id);
    }
    expect(await allRawLines(board.kanban, attempt_id)).toEqual(
      Array.from({ length: 12 }, (_, at) => `message ${at + 1}`),
    );
  });

  it('runs once in one wording, however the end of the turn and a change meet', async () => {
    for (let round = 1; round <= 8; round += 1) {
      const { wait, open } = gate(board.server);
      const attempt = await board.attempt(project_id, `echo begun; ${wait}`);
      const attempt_id = attempt.attempt_id as string;
      await untilLine(board.kanban, attempt_id, 'begun');
      await followUp(attempt_id, 'queue', 'echo before');
      const queue = `/api/sessions/${attempt.session_id as string}/queue`;
      const { messages } = await board.rest.answers(200, 'GET', queue);
      open();
      await delay(round * 20); // somewhere around its end
      const { status } = await board.rest.send('PUT', `${queue}/${messages[0].message_id}`, { prompt: 'echo after' });
      await board.untilEnded(attempt_id);
      expect(await allRawLines(board.kanban, attempt_id)).toEqual(['begun', status === 200 ? 'after' : 'before']);
    }
  });
});
