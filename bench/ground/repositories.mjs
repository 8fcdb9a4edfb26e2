import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A git repository with so many small files in folders of a hundred. @returns its place */
export function makeRepository(place, files) {
  for (let number = 0; number < files; number += 1) {
    const folder = path.join(place, `folder-${Math.floor(number / 100)}`);
    if (number % 100 === 0) mkdirSync(folder);
    writeFileSync(path.join(folder, `file-${number}.txt`), `File ${number}\n`);
  }
  git(place, 'init', '--initial-branch=main');
  git(place, 'add', '--all');
  git(place, '-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', 'commit', '--message', 'First commit');
  return place;
}

export const git = (place, ...args) =>
  execFileSync('git', args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 });

/** Of an attempt on one repository. @param server of Ground */
export function worktreeOf({ data }, attempt_id) {
  const folder = path.join(data, 'worktrees', attempt_id);
  return path.join(folder, readdirSync(folder)[0]);
}
