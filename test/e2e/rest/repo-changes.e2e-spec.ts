import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';

const board = Board.share();

describe('repositories over REST', () => {
  it('change their branch, scripts and runners, and keep what is left out', async () => {
    const { project_id, repo_id } = await board.project({ setup_script: 'make' });
    const place = `/api/projects/${project_id}/repos/${repo_id}`;
    expect((await board.rest.refuses('branch_unknown', 'PATCH', place, { default_target_branch: 'dev' })).status).toBe(
      400,
    );
    const [{ path: dir }] = (await board.rest.answers(200, 'GET', `/api/projects/${project_id}/repos`)).repos;
    execFileSync('git', ['-C', dir as string, 'branch', 'dev']);
    const change = { default_target_branch: 'dev', cleanup_script: 'make lint', runs_on: ['big', 'arm'] };
    const after = {
      default_target_branch: 'dev',
      setup_script: 'make',
      cleanup_script: 'make lint',
      runs_on: ['arm', 'big'],
    };
    expect(await board.rest.answers(200, 'PATCH', place, change)).toMatchObject(after);
    expect(await board.rest.answers(200, 'PATCH', place, { setup_script: '' })).toMatchObject({ setup_script: null });
    const { entries } = await board.rest.answers(200, 'GET', `/api/projects/${project_id}/audit?limit=2`);
    expect(entries[1]).toMatchObject({ action: 'repo_changed', details: { repo_id, after } });
    const elsewhere = `/api/projects/${await board.bareProject()}/repos/${repo_id}`;
    await board.rest.refuses('repo_not_found', 'PATCH', elsewhere, { setup_script: 'true' });
  });
});
