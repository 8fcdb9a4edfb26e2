import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Manifest } from './cluster-rules.js';
import { chart } from './rendered.js';

/** Works with the chart as its next version will be. */
export function withNextVersion<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-chart-'));
  try {
    cpSync(chart, folder, { recursive: true });
    const file = path.join(folder, 'Chart.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/ersion: \d+\.\d+\.\d+/g, 'ersion: 9.9.9'));
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What an API server refuses to change; hooks are made anew. */
export const immutableParts = (documents: readonly Manifest[]): unknown[] =>
  documents
    .filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
    .map(({ kind, metadata, spec }) => {
      const fixed: Record<string, unknown> = { ...spec };
      const names =
        kind === 'StatefulSet' ? ['serviceName', 'podManagementPolicy', 'volumeClaimTemplates'] : ['clusterIP'];
      const selector = ['Service', 'ServiceMonitor'].includes(kind) ? undefined : fixed.selector;
      return [kind, metadata.name, selector, ...names.map((name) => fixed[name])];
    });
