// Bundles the page for people into dist/: assets named by their content, and the shell that names them.
import { minify, version } from '@swc/core';
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src/pages/client');
const target = path.join(root, 'dist/src/pages/client');

/** What esbuild leaves, a second look makes smaller. */
const SMALLER = { module: true, compress: { passes: 3, toplevel: true }, mangle: { toplevel: true }, ecma: 2022 };

/** Of marked the page takes the lexer alone. Nobody can leave out the rest of its one file, because that ends by making
 *  and filling an instance. */
const lexerAlone = {
  name: 'lexer alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /marked\.esm\.js$/ }, ({ path: file }) => {
      const whole = readFileSync(file, 'utf8');
      const end = whole.search(/var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/);
      const [lexer] = /\w+ as Lexer\b/.exec(whole) ?? [];
      if (end < 0 || lexer === undefined) throw new Error('marked has another shape now');
      return { contents: `${whole.slice(0, end)}export{${lexer}};` };
    }),
};

const common = {
  outdir: path.join(target, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  banner: { js: `/* ${version} ${JSON.stringify(SMALLER)} */` }, // counts in the names of files, and goes with the rest
  plugins: [lexerAlone],
  metafile: true,
  absWorkingDir: root,
};
async function bundle(names, options) {
  const entryPoints = names.map((name) => path.join(source, name));
  const made = await build({ ...common, ...options, entryPoints });
  const scripts = Object.keys(made.metafile.outputs).filter((file) => file.endsWith('.js'));
  await Promise.all(scripts.map((file) => makeSmaller(path.join(root, file))));
  return made;
}

async function makeSmaller(script) {
  const { code } = await minify(readFileSync(script, 'utf8'), SMALLER);
  writeFileSync(script, code);
}

const nameIn = ({ metafile }, pattern) =>
  Object.keys(metafile.outputs)
    .map((file) => path.basename(file))
    .find((name) => pattern.test(name));

const worker = await bundle(['changes/colours/highlighter.ts'], { splitting: true });
const HIGHLIGHTER = JSON.stringify(`./${nameIn(worker, /^highlighter-.*\.js$/)}`);
const [early, page, styles] = await Promise.all([
  bundle(['early.ts']), // by itself: what it shared with the page would have to be fetched before its first request
  bundle(['main.tsx'], { splitting: true, loader: { '.svg': 'text' }, define: { HIGHLIGHTER } }),
  bundle(['style.css', 'mark.svg'], { loader: { '.svg': 'copy', '.woff2': 'file' } }),
]);

/** What the page imports before it runs, fetched beside it rather than after it. */
const main = Object.values(page.metafile.outputs).find(({ entryPoint }) => entryPoint?.endsWith('main.tsx'));
const preloads = main.imports
  .filter(({ kind }) => kind === 'import-statement')
  .map(({ path: file }) => `<link rel="modulepreload" href="{{base}}/ui/assets/${path.basename(file)}" />`);

const shell = readFileSync(path.join(source, 'shell.html'), 'utf8')
  .replace('{{preloads}}', preloads.join('\n    '))
  .replace('{{icon}}', nameIn(styles, /^mark-.*\.svg$/))
  .replace('{{style}}', nameIn(styles, /\.css$/))
  .replace('{{early}}', nameIn(early, /^early-.*\.js$/))
  .replace('{{script}}', nameIn(page, /^main-.*\.js$/));
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'shell.html'), shell);
