import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { GitRepository } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const NAMES = [
  'with space.txt',
  ' leading and trailing ',
  'double "quote".txt',
  "single 'quote'.txt",
  'back\\slash.txt',
  'tab\there.txt',
  'new\nline.txt',
  'ünï-日本語-😀.txt',
  '-rf',
  '--help',
  ':(glob)*',
  '*.txt',
  '[a-z]?',
  '$(echo no)',
  '#comment',
  '%41.txt',
  'a & b; c | d',
  'deep/er/ünder/näme.txt',
  '.hidden',
  'e\u0301 decomposed',
];

describe('file names of every kind', () => {
  const server = TestServer.use();
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server, {
      files: Object.fromEntries(NAMES.map((name) => [`old/${name}`, 'before\n'])),
    }));
  });

  const contentOf = (attempt_id: string, path: string): Promise<Json> =>
    client.call('get_attempt_file', { attempt_id, path });

  /** An attempt in whose worktree the files were written by hand, as an agent's editor does. */
  async function givenWork(work: (tree: GitRepository) => void): Promise<string> {
    const { attempt_id } = await givenEndedAttempt(client, project_id, 'true');
    work(new GitRepository(`${server.environment.DATA_DIR}/worktrees/${attempt_id as string}/web`));
    return attempt_id as string;
  }

  /** Every new path must be listed, readable and in a patch that git itself can apply. */
  async function proveAll(attempt_id: string, content: string): Promise<void> {
    const paths = NAMES.map((name) => `web/new/${name}`);
    const { files, file_stats, summary } = await client.call('get_attempt_changes', { attempt_id, detail: true });
    expect(files).toEqual([...paths].sort((a, b) => (a < b ? -1 : 1)));
    expect([summary.file_count, (file_stats as Json[]).length]).toEqual([NAMES.length, NAMES.length]);
    for (const path of paths) expect(await contentOf(attempt_id, path)).toMatchObject({ blocked: false, content });
    for (const path of paths) {
      const {
        patch,
        paths: covered,
        skipped_paths,
      } = await client.call('get_attempt_patch', { attempt_id, paths: [path] });
      expect([covered, skipped_paths]).toEqual([[path], []]);
      expect((patch as string).match(/^diff --git /gm)).toHaveLength(1);
    }
    const { patch } = await client.call('get_attempt_patch', { attempt_id, paths });
    const check = server.repositories.repository(`apply-${attempt_id}`);
    check.gitWith(patch as string, 'apply', '-p2', '--index', '-');
    expect(check.git('ls-files', '-z', 'new').split('\0').filter(Boolean).sort()).toEqual(
      NAMES.map((name) => `new/${name}`).sort(),
    );
  }

  it('are listed, read and patched while nobody has committed them', async () => {
    const attempt_id = await givenWork((tree) =>
      tree.write(Object.fromEntries(NAMES.map((name) => [`new/${name}`, 'untracked\n']))),
    );
    await proveAll(attempt_id, 'untracked\n');
  });

  it('are listed, read and patched once they are committed', async () => {
    const attempt_id = await givenWork((tree) => {
      tree.write(Object.fromEntries(NAMES.map((name) => [`new/${name}`, 'committed\n'])));
      tree.commit('names');
    });
    await proveAll(attempt_id, 'committed\n');
  });

  it('are told apart when they are changed, deleted and renamed', async () => {
    const attempt_id = await givenWork((tree) => {
      tree.write({ [`old/${NAMES[5]!}`]: 'after\n' });
      tree.git('rm', '--quiet', '--', `:(literal)old/${NAMES[6]!}`);
      tree.git('mv', '--', `old/${NAMES[2]!}`, `old/renamed ${NAMES[7]!}`);
      tree.git('add', '--all');
    });
    const { file_stats } = await client.call('get_attempt_changes', { attempt_id, detail: true });
    expect((file_stats as Json[]).map(({ path, old_path, status }) => [status, path, old_path])).toEqual([
      ['deleted', `web/old/${NAMES[6]!}`, null],
      ['renamed', `web/old/renamed ${NAMES[7]!}`, expect.stringMatching(/^web\/old\//)],
      ['modified', `web/old/${NAMES[5]!}`, null],
    ]);
    const { patch } = await client.call('get_attempt_patch', { attempt_id, paths: [`web/old/${NAMES[5]!}`] });
    expect(patch).toMatch(/-before\n\+after\n/);
  });

  it('are never taken for patterns', async () => {
    const attempt_id = await givenWork((tree) =>
      tree.write({ 'new/*.txt': 'star\n', 'new/other.txt': 'other\n', 'new/:(glob)*': 'magic\n' }),
    );
    for (const [name, content] of [
      ['*.txt', 'star'],
      [':(glob)*', 'magic'],
    ] as const) {
      const { patch } = await client.call('get_attempt_patch', { attempt_id, paths: [`web/new/${name}`] });
      expect((patch as string).match(/^\+[a-z]+$/gm)).toEqual([`+${content}`]);
    }
    expect(await client.call('get_attempt_patch', { attempt_id, paths: ['web/new/o*'] })).toMatchObject({
      skipped_paths: ['web/new/o*'],
    });
    expect(await client.refused('get_attempt_file', { attempt_id, path: 'web/new/o*' })).toMatchObject({
      code: 'file_not_found',
    });
  });
});
