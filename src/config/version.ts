import { readFileSync } from 'node:fs';
import path from 'node:path';

/** package.json stands above both src/ and dist/src/. */
function packageVersion(dir = import.meta.dirname): string {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as {
      name?: string;
      version: string;
    };
    if (name === 'taskyard') return version;
  } catch {
    // not here: look one folder up
  }
  return packageVersion(path.dirname(dir));
}

export const SERVER_INFO = { name: 'taskyard', title: 'Taskyard', version: packageVersion() };
