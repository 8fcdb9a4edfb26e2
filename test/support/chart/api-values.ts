import type { Row } from './value-rows.js';
import { checksums, env, placementRows, servers } from './value-rows.js';

const ingress = { ingress: { enabled: true, host: 'taskyard.example' } };
const route = { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['taskyard.example'] } };
const monitor = { serviceMonitor: { enabled: true } };
const scaled = { autoscaling: { enabled: true } };
const budget = { podDisruptionBudget: { enabled: true } };
const rule = { to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [{ port: 8443 }] };
const files = ['Deployment api', 'StatefulSet runner-default', 'Pod test-doctor'];
const all = [...files, 'Job migrate'];
const policies = ['NetworkPolicy api', 'NetworkPolicy runner'];
const on = (documents: readonly string[], path: string): string[] => documents.map((one) => `${one} ${path}`);

/** What each value changes, but for those of runners: path, value, what changes, and what it needs beside it. */
export const apiRows: readonly Row[] = [
  ['image.registry', 'ghcr.example', [...on(servers, 'container.image'), 'StatefulSet runner-default container.image']],
  ['image.repository', 'team/taskyard', on(servers, 'container.image')],
  ['image.tag', '0.2.0', on(servers, 'container.image')],
  ['image.digest', `sha256:${'0'.repeat(64)}`, on(servers, 'container.image')],
  ['image.pullPolicy', 'Always', on([...all, 'Pod test-ready'], 'container.imagePullPolicy')],
  ['imagePullSecrets', [{ name: 'registry' }], on([...all, 'Pod test-ready'], 'pod.imagePullSecrets')],
  ['database.existingSecret', 'main-app', on(all, 'pod.volumes.secrets')],
  ['database.urlKey', 'url', on(all, 'pod.volumes.secrets')],
  [
    'database.ownerUrlKey',
    'owner',
    ['Job migrate pod.volumes.secrets', env('Job migrate', 'MIGRATION_DATABASE_URL_FILE')],
  ],
  ['database.ownerSecret', 'owner', ['Job migrate pod.volumes.secrets'], { database: { ownerUrlKey: 'uri' } }],
  ['secrets.existingSecret', 'company', ['Secret secrets', ...on(files, 'pod.volumes.secrets')]],
  ['secrets.clusterSecretKey', 'seal', on(files, 'pod.volumes.secrets')],
  ['secrets.serviceTokenKey', 'token', on(files, 'pod.volumes.secrets')],
  ['settings.LOG_LEVEL', 'debug', ['ConfigMap data.LOG_LEVEL', ...checksums]],
  ['settings.RUNNER_LOST_SECS', 5_000_000, ['ConfigMap data.RUNNER_LOST_SECS', ...checksums]],
  ['settings.PUBLIC_URL', 'https://taskyard.example', ['ConfigMap data.PUBLIC_URL', ...checksums]],
  [
    'secretSettings',
    { FORGES_FILE: { secret: 'forges', key: 'forges.json' } },
    files.flatMap((one) => [`${one} pod.volumes.secrets`, env(one, 'FORGES_FILE')]),
  ],
  [
    'agentKeys.names',
    ['MODEL_KEY'],
    [env('StatefulSet runner-default', 'AGENT_ENV'), env('StatefulSet runner-default', 'MODEL_KEY')],
    { agentKeys: { existingSecret: 'keys' } },
  ],
  [
    'agentKeys.existingSecret',
    'others',
    [env('StatefulSet runner-default', 'MODEL_KEY')],
    { agentKeys: { existingSecret: 'keys', names: ['MODEL_KEY'] } },
  ],
  [
    'caBundle.configMap',
    'company-ca',
    all.flatMap((one) => [
      ...[env(one, 'NODE_EXTRA_CA_CERTS'), env(one, 'SSL_CERT_FILE')],
      ...[`${one} container.volumeMounts.ca-bundle`, `${one} pod.volumes.ca-bundle`],
    ]),
  ],
  ['caBundle.key', 'ca.crt', on(all, 'container.volumeMounts.ca-bundle'), { caBundle: { configMap: 'company-ca' } }],
  ['serviceAccount.create', false, ['ServiceAccount', ...on(files.slice(0, 2), 'pod.serviceAccountName')]],
  ['serviceAccount.name', 'agents', ['ServiceAccount', ...on(files.slice(0, 2), 'pod.serviceAccountName')]],
  ['serviceAccount.annotations', { role: 'reader' }, ['ServiceAccount metadata.annotations.role']],
  [
    'openshift',
    true,
    [...all, 'Pod test-ready'].flatMap((one) =>
      ['runAsUser', 'runAsGroup', 'fsGroup'].map((field) => `${one} pod.securityContext.${field}`),
    ),
    { runnerDefaults: { isolation: 'none' } },
  ],
  ['api.replicas', 3, ['Deployment api spec.replicas']],
  ['api.resources', { limits: { memory: '2Gi' } }, ['Deployment api container.resources.limits.memory']],
  ...placementRows('api', 'Deployment api'),
  ['service.type', 'LoadBalancer', ['Service api spec.type']],
  [
    'service.port',
    8080,
    [
      ...['Service api spec.ports', 'Pod test-ready container.args', 'HTTPRoute spec.rules'],
      env('StatefulSet runner-default', 'AGENT_API_URL'),
    ],
    route,
  ],
  ['service.annotations', { lb: 'internal' }, ['Service api metadata.annotations.lb']],
  ['ingress.enabled', true, ['Ingress'], { ingress: { host: 'taskyard.example' } }],
  ['ingress.className', 'nginx', ['Ingress spec.ingressClassName'], ingress],
  ['ingress.host', 'other.example', ['Ingress spec.rules.0.host'], ingress],
  ['ingress.tlsSecret', 'certificate', ['Ingress spec.tls'], ingress],
  ['ingress.annotations', { issuer: 'company' }, ['Ingress metadata.annotations.issuer'], ingress],
  ['httpRoute.enabled', true, ['HTTPRoute'], { httpRoute: { parentRefs: [{ name: 'public' }] } }],
  ['httpRoute.parentRefs', [{ name: 'other' }], ['HTTPRoute spec.parentRefs'], route],
  ['httpRoute.hostnames', ['other.example'], ['HTTPRoute spec.hostnames'], route],
  ['httpRoute.annotations', { team: 'a' }, ['HTTPRoute metadata.annotations.team'], route],
  ['settings.BASE_PATH', '/work', [...['ConfigMap', 'Ingress', 'HTTPRoute'], ...checksums], { ...ingress, ...route }],
  ['autoscaling.enabled', true, ['HorizontalPodAutoscaler api', 'Deployment api spec.replicas']],
  ['autoscaling.minReplicas', 3, ['HorizontalPodAutoscaler api spec.minReplicas'], scaled],
  ['autoscaling.maxReplicas', 30, ['HorizontalPodAutoscaler api spec.maxReplicas'], scaled],
  ['autoscaling.cpuPercent', 50, ['HorizontalPodAutoscaler api spec.metrics'], scaled],
  ['podDisruptionBudget.enabled', true, ['PodDisruptionBudget api', 'PodDisruptionBudget runner-default']],
  [
    'podDisruptionBudget.maxUnavailable',
    2,
    on(['PodDisruptionBudget api', 'PodDisruptionBudget runner-default'], 'spec.maxUnavailable'),
    budget,
  ],
  ['networkPolicy.enabled', false, policies],
  ['networkPolicy.from', [{ namespaceSelector: {} }], ['NetworkPolicy api spec.ingress']],
  [
    'networkPolicy.egress.enabled',
    false,
    policies.flatMap((one) => on([one], 'spec.egress').concat(`${one} spec.policyTypes`)),
  ],
  ['networkPolicy.egress.databasePorts', [6432], on(policies, 'spec.egress')],
  ['networkPolicy.egress.publicPorts', [443], on(policies, 'spec.egress')],
  ['networkPolicy.egress.privateRanges', ['10.0.0.0/8'], on(policies, 'spec.egress')],
  ['networkPolicy.egress.more', [rule], on(policies, 'spec.egress')],
  ['serviceMonitor.enabled', true, ['ServiceMonitor']],
  ['serviceMonitor.interval', '10s', ['ServiceMonitor spec.endpoints.0.interval'], monitor],
  ['serviceMonitor.labels', { team: 'a' }, ['ServiceMonitor metadata.labels.team'], monitor],
  ['serviceMonitor.tokenSecret.name', 'scrape', ['ServiceMonitor spec.endpoints.0.authorization'], monitor],
  ['serviceMonitor.tokenSecret.key', 'scrape', ['ServiceMonitor spec.endpoints.0.authorization'], monitor],
  ['migration.enabled', false, ['Job migrate']],
  [
    'migration.resources',
    { limits: { memory: '1Gi' } },
    on(['Job migrate', 'Pod test-ready', 'Pod test-doctor'], 'container.resources.limits.memory'),
  ],
  ...placementRows('migration', 'Job migrate'),
  [
    'extraObjects',
    [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: '{{ .Release.Name }}-more' } }],
    ['Secret more'],
  ],
];
