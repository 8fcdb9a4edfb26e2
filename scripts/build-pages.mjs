// Bundles the page for people into dist/: assets named by their content, and the shell that names them.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src/pages/client');
const target = path.join(root, 'dist/src/pages/client');

const { metafile } = await build({
  entryPoints: [path.join(source, 'main.tsx'), path.join(source, 'style.css')],
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
const shell = readFileSync(path.join(source, 'shell.html'), 'utf8')
  .replace(
    '{{style}}',
    named.find((name) => name.endsWith('.css')),
  )
  .replace(
    '{{script}}',
    named.find((name) => /^main-.*\.js$/.test(name)),
  );
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'shell.html'), shell);
