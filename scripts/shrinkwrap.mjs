// Pins what the package installs: the lock file without what only building and testing takes. It lies here while the
// package is made, because npm would prefer it to the lock file; with --remove it goes again.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const target = path.join(root, 'npm-shrinkwrap.json');

if (process.argv[2] === '--remove') rmSync(target, { force: true });
else {
  const { packages, ...lock } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const { devDependencies: _, ...own } = packages[''];
  // what only the optional embedded database takes, and tests as well, is optional for whoever installs
  const shipped = Object.entries(packages)
    .filter(([name, { dev }]) => name && !dev)
    .map(([name, { devOptional, ...entry }]) => [name, devOptional ? { ...entry, optional: true } : entry]);
  writeFileSync(
    target,
    `${JSON.stringify({ ...lock, packages: { '': own, ...Object.fromEntries(shipped) } }, null, 2)}\n`,
  );
}
