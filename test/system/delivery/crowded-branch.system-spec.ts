import { expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenUncommittedWork } from '../../support/delivery-ground.js';
import { type Json, PATIENCE } from '../../support/mcp-client.js';

const board = Board.share();

it('lets 20 attempts land on one branch at once, each whole', async () => {
  const { project_id, repository } = await board.project();
  repository.git('checkout', '--quiet', '-b', 'elsewhere');
  const attempts = await Promise.all(
    Array.from({ length: 20 }, (_, at) => givenUncommittedWork(board, project_id, { [`file-${at}.txt`]: `${at}\n` })),
  );
  const results = await Promise.all(
    attempts.map(({ attempt_id }, at) =>
      board.kanban.sdk.callTool(
        { name: 'merge_attempt', arguments: { attempt_id, strategy: at % 10 === 0 ? 'rebase' : 'squash' } },
        undefined,
        PATIENCE,
      ),
    ),
  );
  const codes = results.map(({ isError, structuredContent }) =>
    isError ? (structuredContent as Json).code : (structuredContent as Json).repos[0].status,
  );
  expect(codes.filter((code) => !['landed', 'target_moved'].includes(code as string))).toEqual([]);
  const landed = codes.flatMap((code, at) => (code === 'landed' ? [`file-${at}.txt`] : []));
  const files = repository.git('ls-tree', '-r', '--name-only', 'main').split('\n');
  expect(files.sort()).toEqual([...landed, 'readme.md'].sort());
  expect(landed.length).toBeGreaterThan(0);
});
