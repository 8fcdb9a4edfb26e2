import { describe, expect, it } from '@jest/globals';
import { foldersOf } from './change-folders.js';
import type { Change } from './repository-changes.js';

const changes = (...paths: string[]) => paths.map((path) => ({ path, added: 2, deleted: 1 }) as Change);

describe('folders of changes', () => {
  it('count all below them', () => {
    expect(foldersOf(changes('web/a', 'web/src/b', 'web/src/deep/c'))).toEqual([
      { path: 'web', file_count: 3, added: 6, deleted: 3 },
      { path: 'web/src', file_count: 2, added: 4, deleted: 2 },
      { path: 'web/src/deep', file_count: 1, added: 2, deleted: 1 },
    ]);
  });

  it('leave out what only leads on', () => {
    const folders = foldersOf(changes('web/src/pages/a', 'web/src/pages/b', 'web/src/pages/client/c/d/e'));
    expect(folders.map(({ path }) => path)).toEqual(['web/src/pages', 'web/src/pages/client/c/d']);
  });

  it('are at most 50, those with most files', () => {
    const paths = Array.from({ length: 60 }, (_, at) => [`web/${at + 10}/a`, ...(at > 9 ? [`web/${at + 10}/b`] : [])]);
    const folders = foldersOf(changes(...paths.flat()));
    expect([folders.length, folders[0]!.path, folders[1]!.path]).toEqual([50, 'web', 'web/20']);
  });
});
