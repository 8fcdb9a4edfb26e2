import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { WorkspaceExpiry } from '../../../src/runner/housekeeping/workspace-expiry.js';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use({ WORKTREE_TTL_HOURS: '1' });
const worktree = (attempt_id: string): string => `${server.environment.DATA_DIR}/worktrees/${attempt_id}/web`;

it('rested worktrees come back from their branch, and stay while they hold uncommitted work', async () => {
  const client = await server.mcp();
  const project = await givenProject(server);
  const resting = await givenEndedAttempt(
    client,
    project.project_id,
    'echo done > done.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm work',
  );
  const dirty = await givenEndedAttempt(client, project.project_id, 'echo draft > draft.txt');
  await server.query("UPDATE attempts SET updated_at = now() - interval '2 hours'");
  await server.query("UPDATE executions SET updated_at = now() - interval '2 hours'");
  await server.app.get(WorkspaceExpiry, { strict: false }).expire();
  expect(existsSync(worktree(resting.attempt_id))).toBe(false);
  expect(await client.call('get_attempt_file', { attempt_id: resting.attempt_id, path: 'web/done.txt' })).toMatchObject(
    { content: 'done\n' },
  );
  expect(await client.call('get_attempt_changes', { attempt_id: resting.attempt_id })).toMatchObject({
    files: ['web/done.txt'],
  });
  expect(await client.call('get_attempt_file', { attempt_id: dirty.attempt_id, path: 'web/draft.txt' })).toMatchObject({
    content: 'draft\n',
  });
});
