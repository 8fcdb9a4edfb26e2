import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './cluster-rules.js';
import { HELM } from '../machine.js';

export const chart = path.join(import.meta.dirname, '../../../docker/helm/taskyard');

/** Values as they nest. */
export type Values = Record<string, unknown>;

export interface Rendering {
  release?: string;
  /** Folder of the chart. */
  from?: string;
  /** Further arguments of `helm template`. */
  args?: readonly string[];
}

/** The documents that the real Helm makes of the chart, hooks and tests included.
 *  @throws Error what Helm says, where it refuses the values, or where a key stands twice */
export function render(values: Values = {}, { release = 'taskyard', from = chart, args = [] }: Rendering = {}) {
  const said = helm(values, ['template', release, from, ...args]);
  return parseAllDocuments(said, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors.join('\n')}\n${document.toString()}`);
    const manifest = document.toJS() as Manifest | null;
    return manifest ? [manifest] : [];
  });
}

/** What an installation says at its end. */
export function notes(values: Values = {}): string {
  return helm(values, ['install', 'taskyard', chart, '--dry-run=client']).split('\nNOTES:\n')[1] ?? '';
}

function helm(values: Values, command: readonly string[]): string {
  const given = [...command, '--namespace', 'team', '--values', '-'];
  const { status, stdout, stderr, error } = spawnSync(HELM, given, { input: JSON.stringify(values), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr || String(error));
  return stdout;
}

/** `at` is a path with dots: nested('api.replicas', 2) is {api: {replicas: 2}}. */
export const nested = (at: string, value: unknown): Values =>
  at.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Values;

/** Of both; maps are joined, all else of the second goes before. */
export function joined(first: Values, second: Values): Values {
  const entries = Object.entries(second).map(([key, value]) => {
    const old = first[key];
    return [key, isMap(old) && isMap(value) ? joined(old, value) : value] as const;
  });
  return { ...first, ...Object.fromEntries(entries) };
}

export const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
