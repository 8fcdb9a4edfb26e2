import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { variables } from '../../src/config/variables.js';
import { apiRows } from '../support/chart/api-values.js';
import { type Manifest, violations } from '../support/chart/cluster-rules.js';
import { differences } from '../support/chart/differences.js';
import { validate } from '../support/chart/models.js';
import { chart, isMap, joined, nested, render, type Values } from '../support/chart/rendered.js';
import { runnerRows } from '../support/chart/runner-values.js';
import { onlyWith } from '../support/machine.js';

const rows = [...apiRows, ...runnerRows];
const values = parse(readFileSync(path.join(chart, 'values.yaml'), 'utf8')) as Values;

describe('the values of the chart', () => {
  it('are tried one by one, each of them', () => {
    const tried = new Set(['fullnameOverride', ...rows.map(([at]) => at)]); // it changes every document
    expect(leavesOf(values).filter((at) => !tried.has(at))).toEqual([]);
  });

  onlyWith('helm').describe('one by one', () => {
    it.each(rows.map(([at, value, ...rest]) => [at, JSON.stringify(value), value, ...rest] as const))(
      '%s: %s changes what it names and nothing else, and stays valid',
      (at, _, value, changes, beside = {}) => {
        const after = render(joined(beside, nested(at, value)));
        const found = differences(without(beside), after);
        const isBelow = (path: string) => (change: string) =>
          path === change || new RegExp(`^${escaped(change)}[ .]`).test(path);
        expect(found.filter((path) => !changes.some(isBelow(path)))).toEqual([]);
        expect(changes.filter((change) => !found.some((path) => isBelow(path)(change)))).toEqual([]);
        for (const document of after) validate(document);
        expect(violations(after, Object.keys(variables))).toEqual([]);
      },
    );
  });
});

const renderings = new Map<string, Manifest[]>();
function without(beside: Values): Manifest[] {
  const key = JSON.stringify(beside);
  renderings.set(key, renderings.get(key) ?? render(beside));
  return renderings.get(key)!;
}

const escaped = (text: string): string => text.replace(/[/.*+?^${}()|[\]\\]/g, '\\$&');

/** Paths of the defaults; what `resources` holds is Kubernetes' own, and settings stand for themselves. */
function leavesOf(part: unknown, at: readonly string[] = []): string[] {
  const isOpen = /(^|\.)(resources|serverResources)$|\.settings$/.test(at.join('.'));
  if (!isMap(part) || Object.keys(part).length === 0 || isOpen) return [at.join('.')];
  return Object.entries(part).flatMap(([name, inner]) => leavesOf(inner, [...at, name]));
}
