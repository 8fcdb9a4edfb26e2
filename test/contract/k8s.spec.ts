import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { parseDocument } from 'yaml';
import { variables } from '../../src/config/variables.js';
import { SERVER_INFO } from '../../src/config/version.js';
import { expectAcceptedFolder } from '../support/accepted-file.js';
import { violations, type Manifest } from '../support/k8s/cluster-rules.js';
import { chartFiles, kustomizeFiles, rendered } from '../support/k8s/written-manifests.js';
import { onlyWith } from '../support/machine.js';

const docker = path.join(import.meta.dirname, '../../docker');
const models = {
  Deployment,
  StatefulSet,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  Service,
  ServiceAccount,
  ServiceMonitor,
};

/** @throws where the document is none of its kind */
function validate(document: Manifest): void {
  const kind = document.kind as keyof typeof models;
  const Model = models[kind] as new (data: object) => { validate(): void };
  new Model(document).validate();
}

/** @throws where a key stands twice */
function manifest(text: string): Manifest {
  const document = parseDocument(text, { uniqueKeys: true });
  expect(document.errors).toEqual([]);
  return document.toJS() as Manifest;
}
const manifestsOf = (files: Record<string, string>): Manifest[] =>
  Object.entries(files)
    .filter(([name]) => !name.endsWith('kustomization.yaml'))
    .map(([, text]) => manifest(text));

describe('the manifests of Kubernetes', () => {
  it('are those that the typed sources say', () => {
    const files = kustomizeFiles();
    for (const folder of ['base', 'components/availability']) {
      const own = Object.entries(files).filter(([name]) => name.startsWith(`${folder}/`));
      const named = Object.fromEntries(own.map(([name, text]) => [name.slice(folder.length + 1), text]));
      expectAcceptedFolder(`docker/k8s/${folder}`, named);
    }
    expectAcceptedFolder('docker/helm/taskyard', chartFiles(SERVER_INFO.version));
  });

  it('hold to the models of their kinds', () => {
    const all = manifestsOf(kustomizeFiles());
    expect(all.length).toBeGreaterThan(12);
    for (const document of all) validate(document);
  });

  it('hold to our rules: selectors, ports, names of settings, secrets, probes, rights, times', () => {
    expect(violations(manifestsOf(kustomizeFiles()), Object.keys(variables))).toEqual([]);
  });

  it('break the rules that we break on purpose', () => {
    const broken = JSON.parse(JSON.stringify(manifestsOf(kustomizeFiles()))) as (Manifest & Breakable)[];
    const [api, runner] = ['Deployment', 'StatefulSet'].map((kind) => broken.find((one) => one.kind === kind)!);
    api!.spec.selector.matchLabels.wrong = 'label';
    api!.spec.template.spec.containers[0]!.image = 'taskyard:latest';
    api!.spec.template.spec.containers[0]!.env.push({ name: 'LOG_LEVLE', value: 'info' });
    api!.spec.template.spec.containers[0]!.env.push({ name: 'CLUSTER_SECRET', value: 'hunter2' });
    delete api!.spec.template.spec.containers[0]!.readinessProbe;
    runner!.spec.template.spec.terminationGracePeriodSeconds = 60;
    expect(violations(broken, Object.keys(variables)).length).toBeGreaterThanOrEqual(6);
  });

  it('are the same from the chart', () => {
    const chart = chartFiles(SERVER_INFO.version);
    const values = { ...manifest(chart['values.yaml']!), availability: true };
    const templates = Object.entries(chart).filter(([name]) => name.startsWith('templates/'));
    const fromChart = templates.map(([, template]) => manifest(rendered(template, values)));
    expect(fromChart).toEqual(manifestsOf(kustomizeFiles()));
    const off = templates.map(([, template]) => rendered(template, { ...values, availability: false })).filter(Boolean);
    expect(off.filter((text) => /HorizontalPodAutoscaler|PodDisruptionBudget/.test(text))).toEqual([]);
  });

  onlyWith('kubectl').describe('build as the overlay', () => {
    it.each([
      ['single', 8],
      ['ha', 13],
    ])('%s', (overlay, count) => {
      const text = execFileSync('kubectl', ['kustomize', path.join(docker, 'k8s/overlays', overlay)], {
        encoding: 'utf8',
      });
      const built = text.split('\n---\n').map(manifest);
      expect(built).toHaveLength(count);
      for (const document of built) validate(document);
      expect(violations(built, Object.keys(variables))).toEqual([]);
      expect(readFileSync(path.join(docker, 'k8s/overlays', overlay, 'kustomization.yaml'), 'utf8')).not.toMatch(
        /latest/,
      );
    });
  });
});

interface Breakable {
  kind: string;
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: { image: string; env: { name: string; value: string }[]; readinessProbe?: unknown }[];
      };
    };
  };
}
