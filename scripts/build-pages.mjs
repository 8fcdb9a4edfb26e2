// Bundles the page for people into dist/: assets named by their content, and the shell that names them. Scripts by
// rolldown, which puts what the first view needs into it rather than into files of their own; styles by esbuild.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src/pages/client');
const target = path.join(root, 'dist/src/pages/client');
const assets = path.join(target, 'assets');

/** @returns the entry's file, and what it imports before it runs */
async function script(file, define = {}) {
  const bundle = await rolldown({
    input: path.join(source, file),
    cwd: root,
    moduleTypes: { '.svg': 'text' },
    transform: { target: 'es2022', define },
  });
  const names = '[name]-[hash].js';
  const format = { format: 'esm', hashCharacters: 'hex', minify: true, comments: false };
  const { output } = await bundle.write({ ...format, dir: assets, entryFileNames: names, chunkFileNames: names });
  await bundle.close();
  return output.find(({ isEntry }) => isEntry);
}

async function styles() {
  const { metafile } = await build({
    entryPoints: ['style.css', 'mark.svg'].map((name) => path.join(source, name)),
    outdir: assets,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    loader: { '.svg': 'copy', '.woff2': 'file' },
    metafile: true,
    absWorkingDir: root,
  });
  const names = Object.keys(metafile.outputs).map((file) => path.basename(file));
  return (pattern) => names.find((name) => pattern.test(name));
}

const worker = await script('changes/colours/highlighter.ts');
const [early, page, styleNamed] = await Promise.all([
  script('early.ts'), // by itself: what it shared with the page would have to be fetched before its first request
  script('main.tsx', { HIGHLIGHTER: JSON.stringify(`./${worker.fileName}`) }),
  styles(),
]);

/** Fetched beside the page rather than after it. */
const preloads = page.imports.map((file) => `<link rel="modulepreload" href="{{base}}/ui/assets/${file}" />`);

const shell = readFileSync(path.join(source, 'shell.html'), 'utf8')
  .replace('{{preloads}}', preloads.join('\n    '))
  .replace('{{icon}}', styleNamed(/^mark-.*\.svg$/))
  .replace('{{style}}', styleNamed(/\.css$/))
  .replace('{{early}}', early.fileName)
  .replace('{{script}}', page.fileName);
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'shell.html'), shell);
