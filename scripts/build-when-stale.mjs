// Builds if dist/bundle/main.js is missing or older than a source file, so that `npm start` and `npm test` run this
// code.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const built = path.join(root, 'dist', 'bundle', 'main.js');
const settings = /^(package|nest-cli|tsconfig.*)\.json$/;

if (newestSource() > modifiedAt(built)) await build();

/** Folders count too: theirs is the time at which a file in them was removed. */
function newestSource() {
  const names = readdirSync(root).filter((name) => settings.test(name));
  const files = names.map((name) => path.join(root, name));
  return Math.max(...['src', 'migrations', 'scripts'].flatMap(tree).concat(files).map(modifiedAt));
}

function tree(folder) {
  const top = path.join(root, folder);
  const inside = readdirSync(top, { recursive: true }).filter((name) => !name.endsWith('.spec.ts'));
  return [top, ...inside.map((name) => path.join(top, name))];
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function build() {
  if (!existsSync(path.join(root, 'node_modules'))) stop('The packages are missing: run "npm ci" first.');
  await import('./api-types.mjs'); // a source, too
  const startedAt = new Date();
  const whole = path.join(import.meta.dirname, 'build.mjs');
  const { status } = spawnSync(process.execPath, [whole], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    rmSync(built, { force: true }); // half a build must not look fresh the next time
    stop('The build failed.');
  }
  utimesSync(built, startedAt, startedAt); // a source that changed during the build is newer than it
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
