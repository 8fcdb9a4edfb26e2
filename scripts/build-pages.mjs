// Bundles the page for people into dist/: assets named by their content, and the shell that names them.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src/pages/client');
const target = path.join(root, 'dist/src/pages/client');

const { metafile } = await build({
  entryPoints: ['early.ts', 'main.tsx', 'style.css'].map((name) => path.join(source, name)),
  outdir: path.join(target, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  absWorkingDir: root,
});

const named = Object.keys(metafile.outputs).map((file) => path.basename(file));
const nameOf = (pattern) => named.find((name) => pattern.test(name));
const shell = readFileSync(path.join(source, 'shell.html'), 'utf8')
  .replace('{{style}}', nameOf(/\.css$/))
  .replace('{{early}}', nameOf(/^early-.*\.js$/))
  .replace('{{script}}', nameOf(/^main-.*\.js$/));
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'shell.html'), shell);
