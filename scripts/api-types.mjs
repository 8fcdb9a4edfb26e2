// Types of the page's client, from the document that the server publishes; made anew when the document has changed.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const root = path.join(import.meta.dirname, '..');
const document = path.join(root, 'test/contract/snapshots/openapi.json');
const target = path.join(root, 'src/pages/client/generated/api.d.ts');

if (modifiedAt(document) > modifiedAt(target)) {
  const types = await openapiTS(JSON.parse(readFileSync(document, 'utf8')));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, astToString(types));
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
