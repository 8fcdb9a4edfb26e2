// The whole build: what nest compiles, then the programs and the page as bundles of it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const nest = path.join(root, 'node_modules', '.bin', 'nest');

await import('./api-types.mjs');
const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
if (status !== 0) process.exit(status ?? 1);
await Promise.all([import('./bundle-server.mjs'), import('./build-pages.mjs')]);
