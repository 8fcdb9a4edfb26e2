import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hiddenPaths, programPaths, shownPaths } from './open-sandbox.js';

describe('what is hidden from runs', () => {
  it('are the data, secrets, and every home, the own one too', () => {
    const hidden = hiddenPaths('/srv/data', ['/etc/taskyard/token'], '/srv/home');
    expect(hidden).toEqual(expect.arrayContaining(['/srv/data', '/etc/taskyard/token', '/srv/home', '/root', '/run']));
    expect(hiddenPaths('/srv/data', [], '/root')).toContain('/root');
  });

  it('is never everything', () => {
    for (const home of ['/', undefined]) expect(hiddenPaths('/srv/data', [], home)).not.toContain('/');
  });

  it('is no toolchain, but each folder that holds credentials', () => {
    const shown = shownPaths({ HOME: '/home/me', SSL_CERT_FILE: '/home/me/ca.pem' });
    expect(shown).toEqual(expect.arrayContaining(['/home/me/.cargo/bin', '/home/me/.gitconfig', '/home/me/ca.pem']));
    const secret = ['', '.cargo', '.m2', '.config', '.config/git', '.local', '.npmrc', '.pypirc', '.bash_history'];
    expect(secret.map((name) => path.join('/home/me', name)).filter((place) => shown.includes(place))).toEqual([]);
  });
});

describe('what a program needs', () => {
  it.each([
    ['/opt/agent/bin/agent', ['/opt/agent']],
    ['/opt/agent/agent', ['/opt/agent']],
    ['/srv/app/node_modules/.bin/agent', ['/srv/app/node_modules']],
    ['/srv/app/node_modules/a/node_modules/b/cli.js', ['/srv/app/node_modules']],
    ['/home/me/.nvm/versions/node/v24/bin/agent', ['/home/me/.nvm/versions/node/v24']],
    ['/home/me/.local/bin/agent', ['/home/me/.local/bin/agent']],
    ['/home/me/bin/agent', ['/home/me/bin/agent']],
    ['/home/me/agent', ['/home/me/agent']],
    ['/home/me/agents/agent.mjs', ['/home/me/agents']],
    ['agent', []],
    ['/agent', []],
  ])('%s is %j', (program, paths) => {
    expect(programPaths(program, '/home/me')).toEqual(paths);
  });

  describe('where it is a link', () => {
    let home: string;
    beforeEach(() => {
      home = realpathSync(mkdtempSync(path.join(tmpdir(), 'taskyard-home-')));
      for (const folder of ['.local/bin', '.local/share/agent/2.1'])
        mkdirSync(path.join(home, folder), { recursive: true });
    });
    afterEach(() => rmSync(home, { recursive: true }));

    it('is the link and where it leads, not what lies beside it', () => {
      const [link, real] = ['.local/bin/agent', '.local/share/agent/2.1/agent'].map((name) => path.join(home, name));
      writeFileSync(real!, '');
      symlinkSync('../share/agent/2.1/agent', link!);
      expect(programPaths(link!, home)).toEqual([link, path.dirname(real!)]);
    });
  });
});
