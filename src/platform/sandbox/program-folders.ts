import { realpathSync } from 'node:fs';
import path from 'node:path';

/** The folders a program needs to run: where it is found, where it really lies, and what is installed around it. */
export function programFolders(program: string): string[] {
  if (!path.isAbsolute(program)) return [];
  const places = [program, realPath(program)];
  return [...new Set(places.map(installationOf))].filter((folder) => folder !== '/');
}

/** `<prefix>/bin/x` is installed in the prefix, `<folder>/node_modules/…` in the outermost node_modules. */
function installationOf(file: string): string {
  const modules = file.indexOf('/node_modules/');
  if (modules >= 0) return file.slice(0, modules + '/node_modules'.length);
  const folder = path.dirname(file);
  return path.basename(folder) === 'bin' ? path.dirname(folder) : folder;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // the start will say that it is not there
  }
}
