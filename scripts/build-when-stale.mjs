// Builds if dist/src/main.js is missing or older than a source file, so that `npm start` and `npm test` run this code.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const built = path.join(root, 'dist', 'src', 'main.js');
const settings = /^(package|nest-cli|tsconfig.*)\.json$/;

if (newestSource() > modifiedAt(built)) build();

/** Folders count too: theirs is the time at which a file in them was removed. */
function newestSource() {
  const names = readdirSync(root).filter((name) => settings.test(name));
  const files = names.map((name) => path.join(root, name));
  return Math.max(...['src', 'migrations'].flatMap(tree).concat(files).map(modifiedAt));
}

function tree(folder) {
  const top = path.join(root, folder);
  const inside = readdirSync(top, { recursive: true }).filter((name) => !name.endsWith('.spec.ts'));
  return [top, ...inside.map((name) => path.join(top, name))];
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function build() {
  const nest = path.join(root, 'node_modules', '.bin', 'nest');
  if (!existsSync(nest)) stop('The packages are missing: run "npm ci" first.');
  const startedAt = new Date();
  const { status } = spawnSync(process.execPath, [nest, 'build'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0 || !buildPages()) {
    rmSync(built, { force: true }); // half a build must not look fresh the next time
    stop('The build failed.');
  }
  utimesSync(built, startedAt, startedAt); // a source that changed during the build is newer than it
}

function buildPages() {
  const bundler = path.join(import.meta.dirname, 'build-pages.mjs');
  return spawnSync(process.execPath, [bundler], { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
