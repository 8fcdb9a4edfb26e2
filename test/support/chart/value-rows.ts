import type { Values } from './rendered.js';

/** Path of a value, another value for it, the paths that change then (each with all below it), and what else is set. */
export type Row = readonly [at: string, value: unknown, changes: readonly string[], beside?: Values];

/** What runs the server's image. */
export const servers = ['Deployment api', 'Job migrate', 'Pod test-ready', 'Pod test-doctor'];

export const env = (document: string, name: string): string => `${document} container.env.${name}`;

/** Pods are replaced with their settings. */
export const checksums = ['Deployment api', 'StatefulSet runner-default'].map(
  (document) => `${document} pod.annotations.checksum/settings`,
);

/** What all components have: where their pods run, and what is written on them. */
export function placementRows(component: string, document: string, beside?: Values): Row[] {
  const spread = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }];
  const rows: [string, unknown, string][] = [
    ['nodeSelector', { disk: 'ssd' }, 'pod.nodeSelector.disk'],
    ['tolerations', [{ key: 'agents', operator: 'Exists' }], 'pod.tolerations'],
    ['affinity', { podAntiAffinity: {} }, 'pod.affinity'],
    ['topologySpreadConstraints', spread, 'pod.topologySpreadConstraints'],
    ['priorityClassName', 'low', 'pod.priorityClassName'],
    ['runtimeClassName', 'gvisor', 'pod.runtimeClassName'],
    ['podAnnotations', { mesh: 'off' }, 'pod.annotations.mesh'],
    ['podLabels', { team: 'a' }, 'pod.labels.team'],
  ];
  return rows.map(([field, value, path]) => [`${component}.${field}`, value, [`${document} ${path}`], beside]);
}
