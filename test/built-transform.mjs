import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.join(import.meta.dirname, '..');

/** In place of a source file: what was built from it, as `built-environment.mjs` loads it. */
export default {
  async processAsync(_source, file) {
    const url = pathToFileURL(path.join(root, 'dist', path.relative(root, file).replace(/\.ts$/, '.js'))).href;
    const names = Object.keys(await import(url));
    return { code: `export const { ${names.join(', ')} } = await importBuilt(${JSON.stringify(url)});` };
  },
};
