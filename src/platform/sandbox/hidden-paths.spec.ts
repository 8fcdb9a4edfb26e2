import { describe, expect, it } from '@jest/globals';
import { hiddenPaths, programFolders } from './open-sandbox.js';

describe('what is hidden from runs', () => {
  it('are the data, secrets, keys and the homes of others, not the own home', () => {
    const hidden = hiddenPaths('/srv/data', ['/etc/taskyard/token'], '/home/nobody-here');
    expect(hidden).toEqual(expect.arrayContaining(['/srv/data', '/etc/taskyard/token', '/root', '/run']));
    expect(hidden).toContain('/home/nobody-here/.ssh');
    expect(hidden).not.toContain('/home/nobody-here');
  });

  it('is not the own home of root', () => {
    expect(hiddenPaths('/srv/data', [], '/root')).not.toContain('/root');
    expect(hiddenPaths('/srv/data', [], '/root/work')).not.toContain('/root');
  });
});

describe('the folders of a program', () => {
  it.each([
    ['/opt/agent/bin/agent', ['/opt/agent']],
    ['/opt/agent/agent', ['/opt/agent']],
    ['/srv/app/node_modules/.bin/agent', ['/srv/app/node_modules']],
    ['/srv/app/node_modules/a/node_modules/b/cli.js', ['/srv/app/node_modules']],
    ['agent', []],
    ['/agent', []],
  ])('%s lies in %j', (program, folders) => {
    expect(programFolders(program)).toEqual(folders);
  });

  it('include where a link leads', () => {
    expect(programFolders(process.execPath).length).toBeGreaterThan(0);
  });
});
