import path from 'node:path';
import type { Class } from '../../src/platform/fields/field-node.js';
import { readSources } from './source-files.js';

const root = path.join(import.meta.dirname, '../..');

function isClass(exported: unknown): exported is Class {
  return typeof exported === 'function' && 'prototype' in exported;
}

/** All classes of the `.dto.ts` files, inputs and outputs. */
export async function declaredClasses(): Promise<Class[]> {
  const classes: Class[] = [];
  for (const { path: name } of readSources('src').filter((source) => source.path.endsWith('.dto.ts')))
    classes.push(...Object.values((await import(path.join(root, name))) as object).filter(isClass));
  return classes;
}
