import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Package {
  folder: string;
  version: string;
}

/** package.json stands above src/, dist/src/ and dist/bundle/. */
function findPackage(dir = import.meta.dirname): Package {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as {
      name?: string;
      version: string;
    };
    if (name === 'taskyard') return { folder: dir, version };
  } catch {
    // not here: look one folder up
  }
  return findPackage(path.dirname(dir));
}

const found = findPackage();

export const packageFolder = found.folder;
export const SERVER_INFO = { name: 'taskyard', title: 'Taskyard', version: found.version };
