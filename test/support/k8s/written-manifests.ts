import { stringify } from 'yaml';
import { baseValues, type ClusterValues } from './cluster-values.js';
import * as surroundings from './surroundings.js';
import { apiDeployment, migrationJob, runnerSet } from './workloads.js';

type Documents = Record<string, object>;

/** Of every cluster. */
const baseDocuments = (values: ClusterValues): Documents => ({
  'service-account': surroundings.serviceAccount,
  settings: surroundings.settings,
  'api-service': surroundings.apiService,
  'runner-service': surroundings.runnerService,
  'runner-policy': surroundings.runnerPolicy,
  'api-deployment': apiDeployment(values),
  'runner-set': runnerSet(values),
  'migration-job': migrationJob(values),
});

/** Of those that stay up while a node goes away. */
const availabilityDocuments: Documents = {
  'api-budget': surroundings.apiBudget,
  'runner-budget': surroundings.runnerBudget,
  'api-scaler': surroundings.apiScaler,
  'runner-scaler': surroundings.runnerScaler,
  'service-monitor': surroundings.monitor,
};

const GENERATED = '# Written by npm run accept from test/support/k8s; changes belong there or into an overlay.\n';
const kustomization = (files: string[]) => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources: files,
});
const text = (document: object): string =>
  GENERATED + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });

/** File below docker/k8s → text. */
export function kustomizeFiles(): Record<string, string> {
  const folder = (name: string, documents: Documents) => {
    const files = Object.fromEntries(Object.entries(documents).map(([file, document]) => [`${file}.yaml`, document]));
    const all = { ...files, 'kustomization.yaml': kustomization(Object.keys(files)) };
    return Object.fromEntries(Object.entries(all).map(([file, document]) => [`${name}/${file}`, text(document)]));
  };
  return { ...folder('base', baseDocuments(baseValues)), ...folder('components/availability', availabilityDocuments) };
}

/** Where a number has to stand until it is text. */
const [API_REPLICAS, RUNNER_REPLICAS] = [-1, -2];
/** A value of the chart where the document has a value of its own. */
const placeholders: ClusterValues = {
  images: { server: '{{ .Values.images.server }}', runner: '{{ .Values.images.runner }}' },
  secret: '{{ .Values.secret }}',
  api: { replicas: API_REPLICAS },
  runner: {
    replicas: RUNNER_REPLICAS,
    storage: '{{ .Values.runner.storage }}',
    drainSecs: '{{ .Values.runner.drainSecs }}',
  },
};
const bare = (yaml: string): string =>
  yaml
    .replace(`replicas: ${API_REPLICAS}\n`, 'replicas: {{ .Values.api.replicas }}\n')
    .replace(`replicas: ${RUNNER_REPLICAS}\n`, 'replicas: {{ .Values.runner.replicas }}\n');

/** File below docker/helm/taskyard → text. */
export function chartFiles(version: string): Record<string, string> {
  const documents = Object.entries(baseDocuments(placeholders)).map(([name, document]) => [name, bare(text(document))]);
  const optional = Object.entries(availabilityDocuments).map(([name, document]) => [
    name,
    `{{- if .Values.availability }}\n${text(document)}{{- end }}\n`,
  ]);
  const templates = Object.fromEntries(
    [...documents, ...optional].map(([name, yaml]) => [`templates/${name}.yaml`, yaml!]),
  );
  const chart = {
    apiVersion: 'v2',
    name: 'taskyard',
    description: 'Hands work to coding agents.',
    type: 'application',
    version,
    appVersion: version,
  };
  return {
    'Chart.yaml': text(chart),
    'values.yaml': text({ ...baseValues, availability: false }),
    ...templates,
  };
}

/** What Helm does with these templates, which use values and one condition alone. */
export function rendered(template: string, values: object): string {
  const valueAt = (path: string): unknown =>
    path.split('.').reduce((part: unknown, name) => (part as Record<string, unknown>)[name], values);
  return template
    .replace(/\{\{- if \.Values\.(\w+) \}\}\n([\s\S]*)\{\{- end \}\}\n/, (_, name: string, inner: string) =>
      valueAt(name) ? inner : '',
    )
    .replace(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, name: string) => String(valueAt(name)));
}
