import { expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenUncommittedWork, moveMain } from '../../support/delivery-ground.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();
const withoutId = ({ details, ...envelope }: Json): Json => {
  const { http_request_id: _, ...facts } = details as Json;
  return { ...envelope, details: facts };
};

it('a dry run says what would refuse a merge as the refusal itself says it, over MCP and over REST', async () => {
  const { project_id, repository } = await board.project();
  repository.git('checkout', '--quiet', '-b', 'elsewhere');
  const { attempt_id } = await givenUncommittedWork(board, project_id, { 'readme.md': 'ours\n' });
  moveMain(repository, { 'readme.md': 'theirs\n' });
  const path = `/api/attempts/${attempt_id}/merge`;
  const { status: _, ...over } = await board.rest.refuses('merge_conflict', 'POST', path, {}); // commits the work
  const refusal = await board.kanban.refused('merge_attempt', { attempt_id });
  const forecast = (await board.kanban.call('merge_attempt', { attempt_id, dry_run: true })).repos[0].error as Json;
  expect(forecast).toMatchObject({ retryable: false, details: { next: { tool: 'update_attempt_branch' } } });
  expect(forecast).toEqual(withoutId(refusal));
  const overRest = (await board.rest.does('POST', path, { dry_run: true })).repos[0].error as Json;
  expect(overRest).toMatchObject({ details: { next: { method: 'POST' } } });
  expect(overRest).toEqual(withoutId(over));
});
