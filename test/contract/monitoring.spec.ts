import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import * as metrics from '../../src/platform/telemetry/metrics.js';
import { expectAccepted, sortedJson } from '../support/accepted-file.js';
import { expressions, grafanaDashboard } from '../support/grafana-dashboard.js';
import { onlyWith } from '../support/machine.js';

const folder = path.join(import.meta.dirname, '../../docker/monitoring');
const alerts = path.join(folder, 'alerts.yaml');

/** Every series that this process can answer, as Prometheus stores it. `up` is Prometheus's own. */
async function knownSeries(): Promise<Set<string>> {
  const known = (await metrics.processMetrics.getMetricsAsJSON()) as unknown as { name: string; type: string }[];
  return new Set(['up', ...known.flatMap(({ name, type }) => (type === 'histogram' ? partsOf(name) : [name]))]);
}
const partsOf = (name: string): string[] => ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`);

/** What stands before a selector, a range or a bracket, and is no function: the names of series. */
const seriesIn = (expression: string): string[] =>
  [...expression.replace(/"[^"]*"|\$__\w+/g, '').matchAll(/\b(?:taskyard|nodejs|process)_\w+|\bup\b/g)].map(
    ([name]) => name,
  );

const rules = () =>
  (parse(readFileSync(alerts, 'utf8')) as { groups: { rules: { alert: string; expr: string }[] }[] }).groups.flatMap(
    (group) => group.rules,
  );

describe('the monitoring that is shipped', () => {
  it('asks only for series that exist, in the dashboard and in the alerts', async () => {
    const known = await knownSeries();
    const asked = [...expressions(), ...rules().map(({ expr }) => expr)].flatMap(seriesIn);
    expect(asked.length).toBeGreaterThan(30);
    expect([...new Set(asked.filter((name) => !known.has(name)))]).toEqual([]);
  });

  it('shows each of our own series somewhere', () => {
    const shown = new Set([...expressions(), ...rules().map(({ expr }) => expr)].flatMap(seriesIn));
    const own = metrics.processMetrics
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('taskyard_'));
    expect(own.filter((name) => ![name, ...partsOf(name)].some((part) => shown.has(part)))).toEqual([]);
  });

  it('adds up no figure that every process tells of the whole cluster', () => {
    const summed = /\b(sum|avg|count)\b[^(]*\(taskyard_((waiting_)?turns|runners|queue_(depth|oldest_age_seconds))\b/;
    expect([...expressions(), ...rules().map(({ expr }) => expr)].filter((expr) => summed.test(expr))).toEqual([]);
  });

  it('is the dashboard that the code builds', () => {
    expectAccepted('docker/monitoring/dashboard.json', sortedJson(grafanaDashboard()));
  });

  onlyWith('promtool').it('has names that Prometheus approves of', async () => {
    const page = (await metrics.processMetrics.metrics()).split('\n');
    const input = page.filter((line) => line.includes('taskyard_')).join('\n') + '\n';
    expect(run('check', ['metrics'], input)).toEqual({ status: 0, said: '' });
  });

  onlyWith('promtool').it('has rules that are read, and that fire when they should and not otherwise', () => {
    expect(run('check', ['rules', '--lint-fatal', alerts])).toMatchObject({ status: 0 });
    expect(run('test', ['rules', path.join(folder, 'alerts.test.yaml')])).toMatchObject({ status: 0 });
  });

  onlyWith('promtool').it('has expressions that Prometheus reads, in the dashboard too', () => {
    const expr = (query: string) => query.replaceAll('$__rate_interval', '5m');
    const queries = expressions().map((query, at) => ({ record: `panel:${at}`, expr: expr(query) }));
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'taskyard-panels-')), 'panels.yaml');
    try {
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: queries }] }));
      expect(run('check', ['rules', file])).toMatchObject({ status: 0 });
    } finally {
      rmSync(path.dirname(file), { recursive: true });
    }
  });
});

function run(command: string, args: string[], input = ''): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', [command, ...args], { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}
