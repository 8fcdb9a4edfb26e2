import { beforeAll, expect, it } from '@jest/globals';
import { givenAttempt, givenProject, untilEnded, untilLine } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { runsOf } from '../../support/runs.js';

const ground = ClusterGround.use();
let project_id: string;

beforeAll(async () => {
  await ground.runner('one', { MAX_CONCURRENT_EXECUTIONS: '1' });
  ({ project_id } = await givenProject(ground.api));
});

it('a message whose runner is scaled away is worked through by the one that is left', async () => {
  const { attempt_id } = await givenAttempt(ground.client, project_id, 'echo ready; exec sleep 600');
  await untilLine(ground.client, attempt_id as string, 'ready');
  await ground.runner('two'); // while the first lives: its own start has nothing to do with it
  await ground.client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo by the other' });
  await ground.end('one');
  expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({
    state: 'completed',
    final_message: 'by the other',
  });
  expect(await runsOf(ground.api, attempt_id as string)).toEqual(['codingagent failed', 'codingagent completed']);
});
