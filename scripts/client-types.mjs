// Declarations of taskyard/client into dist/client/, with the types of the API's document that they stand on.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import './api-types.mjs';

const root = path.join(import.meta.dirname, '..');
const target = path.join(root, 'dist/client');
const api = 'pages/client/generated/api.d.ts';

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
const program = ts.createProgram([path.join(root, 'src/client/index.ts')], {
  ...options,
  declaration: true,
  emitDeclarationOnly: true,
  incremental: false,
  sourceMap: false,
  rootDir: path.join(root, 'src'),
  outDir: target,
});
rmSync(target, { recursive: true, force: true });
const { diagnostics } = program.emit();
const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (faults.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  console.error(ts.formatDiagnostics(faults, host));
  process.exit(1);
}
mkdirSync(path.dirname(path.join(target, api)), { recursive: true });
copyFileSync(path.join(root, 'src', api), path.join(target, api));
