import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { createEmulator, type Emulator } from 'emulate';
import { GitSandbox } from '../../test/support/git-repository.js';
import { loadEnvironment } from '../config/environment.js';
import type { Forge, NewPullRequest, PullRequest } from './forge.js';
import { ForgesService } from './forges.service.js';

interface Place {
  host: string;
  kind: string;
  api_url?: string;
  token: string;
}

function forgeAt(sandbox: GitSandbox, { token, ...forge }: Place): Forge {
  const [token_file, file] = [sandbox.path('token'), sandbox.path('forges.json')];
  writeFileSync(token_file, token);
  writeFileSync(file, JSON.stringify({ forges: [{ ...forge, token_file }] }));
  return new ForgesService(loadEnvironment({ FORGES_FILE: file })).get(forge.host);
}

async function opened(forge: Forge, repository: string, request: NewPullRequest): Promise<PullRequest> {
  const creation = await forge.create(repository, request);
  if (creation.outcome !== 'created') throw new Error(`not created: ${creation.outcome}`);
  return creation.pull_request;
}

const request: NewPullRequest = {
  title: 'Add a health check',
  body: 'It answers 200.',
  draft: false,
  head_branch: 'ty/1',
  base_branch: 'main',
};

/** It takes whatever it is sent, so it says nothing of refusals: those are the test forge's. */
describe('GitHub as others understand it (emulate)', () => {
  const sandbox = new GitSandbox();
  let emulator: Emulator;
  let forge: Forge;

  beforeAll(async () => {
    const seed = {
      github: { users: [{ login: 'ada' }], repos: [{ owner: 'ada', name: 'web', auto_init: true }] },
      tokens: { secret: { login: 'ada', scopes: ['repo'] } },
    };
    emulator = await createEmulator({ service: 'github', port: 0, seed });
    const { host } = new URL(emulator.url);
    forge = forgeAt(sandbox, { host, kind: 'github', api_url: emulator.url, token: 'secret' });
  });
  afterAll(async () => {
    await emulator.close();
    sandbox.remove();
  });

  it('opens a pull request, finds, changes, reads and merges it', async () => {
    const made = await opened(forge, 'ada/web', request);
    expect(made).toMatchObject({ number: 1, state: 'open', title: request.title, head_branch: 'ty/1' });
    expect(await forge.find('ada/web', request)).toMatchObject([{ number: 1, url: made.url }]);
    expect(await forge.update('ada/web', 1, { title: 'Say more' })).toMatchObject({ title: 'Say more' });
    const read = await forge.read('ada/web', 1, false);
    expect(read).toMatchObject({ state: 'open', title: 'Say more', mergeability: 'clean' });
    // it has check runs but no statuses: what is known of one source is not the whole
    expect(await forge.checks('ada/web', read)).toMatchObject({ state: 'unknown', complete: false, checks: [] });
    expect(await forge.reviews('ada/web', read)).toEqual({ state: 'none', reviews: [] });
    const merge = { method: 'squash', expected_head: read.head_commit, queue: false } as const;
    expect(await forge.merge('ada/web', 1, merge)).toEqual({ outcome: 'merged' });
    expect(await forge.read('ada/web', 1, false)).toMatchObject({ state: 'merged', merge_commit: expect.any(String) });
  });

  it('closes one without a merge', async () => {
    const { number } = await opened(forge, 'ada/web', { ...request, head_branch: 'ty/2' });
    await forge.close('ada/web', number);
    expect(await forge.read('ada/web', number, false)).toMatchObject({ state: 'closed', merge_commit: null });
  });
});

const {
  REAL_FORGE_HOST: host,
  REAL_FORGE_KIND: kind,
  REAL_FORGE_API_URL: api_url,
  REAL_FORGE_TOKEN: token,
  REAL_FORGE_REPOSITORY: repository,
  REAL_FORGE_BRANCH: head_branch,
} = process.env;
const describeOnRealForge = host && kind && token && repository && head_branch ? describe : describe.skip;

describeOnRealForge(
  'a real forge (needs REAL_FORGE_HOST, _KIND, _TOKEN, _REPOSITORY, and _BRANCH ahead of main)',
  () => {
    let sandbox: GitSandbox;
    beforeAll(() => {
      sandbox = new GitSandbox();
    });
    afterAll(() => sandbox.remove());

    it('opens a draft, finds it again, changes it, reads all of it, and closes it', async () => {
      const forge = forgeAt(sandbox, { host: host!, kind: kind!, ...(api_url ? { api_url } : {}), token: token! });
      const wanted = { ...request, head_branch: head_branch!, draft: true };
      const { number, head_commit } = await opened(forge, repository!, wanted);
      try {
        expect((await forge.find(repository!, wanted)).map((one) => one.number)).toEqual([number]);
        expect(await forge.create(repository!, wanted)).toEqual({ outcome: 'exists' });
        expect(await forge.update(repository!, number, { title: 'Say more' })).toMatchObject({ title: 'Say more' });
        const read = await forge.read(repository!, number, false);
        expect(read).toMatchObject({ state: 'open', draft: true, head_commit });
        expect((await forge.checks(repository!, read)).complete).toBe(true);
        expect(await forge.comments(repository!, read)).toEqual([]);
      } finally {
        await forge.close(repository!, number);
      }
      expect(await forge.read(repository!, number, false)).toMatchObject({ state: 'closed' });
    });
  },
);
