import type { Board } from './board-fixture.js';
import { givenAttemptWithoutSession } from './board.js';
import { eventually } from './eventually.js';
import { GitRepository } from './git-repository.js';
import type { Json } from './mcp-client.js';

/** An attempt in which no run was, and its worktree, once that is there. */
export async function givenWorktree(
  board: Pick<Board, 'server' | 'kanban'>,
  project_id: string,
  repo_name = 'web',
): Promise<{ attempt: Json; tree: GitRepository }> {
  const attempt = await givenAttemptWithoutSession(board.server, board.kanban, project_id);
  const { attempt_id } = attempt;
  await eventually('a worktree', async () => {
    const { isError } = await board.kanban.sdk.callTool({ name: 'get_attempt_changes', arguments: { attempt_id } });
    return isError !== true;
  });
  const folder = `${board.server.environment.DATA_DIR}/worktrees/${attempt_id}/${repo_name}`;
  return { attempt, tree: new GitRepository(folder) };
}

/** Work that lies uncommitted in a worktree, without a run that made it. */
export async function givenUncommittedWork(
  board: Pick<Board, 'server' | 'kanban'>,
  project_id: string,
  files: Record<string, string> = { 'new.txt': 'new\n' },
): Promise<Json> {
  const { attempt, tree } = await givenWorktree(board, project_id);
  tree.write(files);
  return attempt;
}

/** Somebody commits files in the root of main, without a checkout of it. */
export function moveMain(repository: GitRepository, files: Record<string, string>): string {
  const entries = Object.entries(files).map(([name, content]) => {
    const blob = repository.gitWith(content, 'hash-object', '-w', '--stdin').trim();
    return `100644 blob ${blob}\t${name}`;
  });
  const others = repository.git('ls-tree', 'main').split('\n');
  const kept = others.filter((line) => !Object.keys(files).includes(line.split('\t')[1]!));
  const tree = repository.gitWith([...kept, ...entries, ''].join('\n'), 'mktree').trim();
  const commit = repository.git('commit-tree', tree, '-p', repository.git('rev-parse', 'main'), '-m', 'theirs');
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}
