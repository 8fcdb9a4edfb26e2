import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHttpServer } from '../../test/support/git-http-server.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { gitEnvironment } from '../config/child-environment.js';
import { Git } from '../git/git.js';

const PASSWORD = 's3cret=%&';

/** S15: a password in a URL is for one call. */
describe('the password of a URL', () => {
  let box: WorkspaceSandbox;
  let server: GitHttpServer;
  beforeEach(async () => {
    box = new WorkspaceSandbox();
    box.repository('app');
    server = await GitHttpServer.start(box.dir, { password: PASSWORD });
  });
  afterEach(async () => {
    await server.stop();
    box.remove();
  });

  const url = (password: string) => `http://user:${encodeURIComponent(password)}@${server.host}/app/.git`;
  const isOnDisk = (folder: string) => {
    try {
      execFileSync('grep', ['-rqaE', 's3cret', folder]);
      return true;
    } catch {
      return false;
    }
  };
  /** A git that writes down its arguments and its environment, and goes on as git. */
  const watched = () => {
    mkdirSync(box.path('bin'));
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      box.path('bin/git'),
      `#!/bin/sh\n{ echo "$@"; env; } >> '${box.path('seen')}'\nexec '${real}' "$@"\n`,
    );
    chmodSync(box.path('bin/git'), 0o755);
    const environment = gitEnvironment();
    const git = new Git({ ...environment, PATH: `${box.path('bin')}:${environment.PATH}` });
    return new WorkspaceSandbox({ within: box, git, access: { REPOSITORY_HOSTS: [server.host] } });
  };

  it('opens the repository, and is in no argument, no environment and no file', async () => {
    const { root } = await watched().host.clone(url(PASSWORD), '1');
    const seen = readFileSync(box.path('seen'), 'utf8');
    expect([seen.includes('clone'), seen.includes('s3cret')]).toEqual([true, false]);
    expect(readFileSync(`${root}/config`, 'utf8')).toContain(`url = http://${server.host}/app/.git\n`);
    expect(isOnDisk(box.dataDir)).toBe(false);
  });

  it('may be wrong, which ends the clone at once', async () => {
    const host = watched().host;
    await expect(host.clone(url('s3cret, but wrong'), '1')).rejects.toMatchObject({ code: 'repo_invalid' });
    await expect(host.clone(url(`s3cret\nhost=evil`), '1')).rejects.toMatchObject({ code: 'repo_invalid' });
    expect(existsSync(`${box.dataDir}/repos/1.git`)).toBe(false);
  });
});
