import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.join(import.meta.dirname, '..');

const builtFrom = (file) => path.join(root, 'dist', path.relative(root, file).replace(/\.ts$/, '.js'));

/** In place of a source file: what was built from it, as `built-environment.mjs` loads it. In place of a library's:
 *  the same file, loaded so. */
const imported = {
  async processAsync(_source, file) {
    const url = pathToFileURL(file.endsWith('.ts') ? builtFrom(file) : file).href;
    const names = Object.keys(await import(url));
    return { code: `export const { ${names.join(', ')} } = await importBuilt(${JSON.stringify(url)});` };
  },
};

const required = {
  process: (_source, file) => ({ code: `module.exports = requireBuilt(${JSON.stringify(file)});` }),
};

/** @param options for a library of CommonJS: `required` */
export default { createTransformer: (options) => (options?.required ? required : imported) };
