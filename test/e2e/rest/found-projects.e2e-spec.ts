import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();

describe('the projects of a repository', () => {
  it('are found by the path of a repository, or by its remote however it is reached', async () => {
    const { project_id, repository } = await board.project();
    const origin = board.repository();
    const url = `file://${origin.dir}`;
    const cloned = await board.rest.does('POST', '/api/projects', { name: 'Cloned', repos: [{ url }] });
    const found = async (query: Record<string, string>) => {
      const answer = await board.rest.does('GET', `/api/projects?${new URLSearchParams(query).toString()}`);
      return (answer.projects as Json[]).map((project) => project.project_id as string);
    };
    expect(await found({ repo_path: repository.dir })).toEqual([project_id]);
    expect(await found({ repo_path: path.dirname(repository.dir) })).toEqual([]);
    expect(await found({ repo_url: url })).toEqual([cloned.project_id]);
    expect(await found({ repo_url: `${origin.dir}/` })).toEqual([cloned.project_id]);
    expect(await found({ repo_url: `${url}-more` })).toEqual([]);
  });
});
