import type { Values } from './rendered.js';

const ingress = { enabled: true, host: 'taskyard.example', tlsSecret: 'certificate' };
const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['taskyard.example'] };
const oidc = {
  PUBLIC_URL: 'https://taskyard.example',
  OIDC_ISSUER: 'https://login.example/realms/company',
  OIDC_ROLES: '*=write',
  TRUSTED_PROXIES: '10.0.0.0/8',
};
const scaled = { autoscaling: { enabled: true } };
const keda = { existingSecret: 'scaler', urlKey: 'uri' };
const pools = {
  default: { autoscaling: { enabled: true }, executors: ['CLAUDE_CODE'] },
  java21: { image: { repository: 'java21' }, labels: ['java21'], slots: 2, runtimeClassName: 'gvisor' },
  gpu: { mode: 'attempt', labels: ['gpu'], isolation: 'container' },
};

/** What values.yaml speaks of, and how it goes together. */
export const combinations: readonly (readonly [name: string, values: Values])[] = [
  ['the defaults', {}],
  ['a database of CloudNativePG', { database: { existingSecret: 'main-app' } }],
  ['a role of its own for the server', { database: { ownerSecret: 'main-app', ownerUrlKey: 'uri' } }],
  ['Secrets by name', { secrets: { existingSecret: 'company', clusterSecretKey: 'seal', serviceTokenKey: 'token' } }],
  ['people log in, without a service token', { settings: oidc, secrets: { serviceTokenKey: '' } }],
  ['an Ingress', { settings: oidc, ingress }],
  ['an HTTPRoute below a path', { settings: { ...oidc, BASE_PATH: '/work' }, httpRoute }],
  ['several replicas', { ...scaled, podDisruptionBudget: { enabled: true }, runnerDefaults: scaled }],
  ['pools', { runners: pools, agentKeys: { existingSecret: 'keys', names: ['MODEL_KEY'] } }],
  ['baseline', { runnerDefaults: { podSecurity: 'baseline' }, seccompInstaller: { enabled: true } }],
  ['restricted', { runnerDefaults: { isolation: 'none' } }],
  ['OpenShift', { openshift: true, runnerDefaults: { isolation: 'none' } }],
  ['a pod for each attempt', { runnerDefaults: { mode: 'attempt', autoscaling: { enabled: true } } }],
  ['a container of its own for runs', { runnerDefaults: { isolation: 'container', slots: 1 } }],
  ['both, on OpenShift', { openshift: true, runnerDefaults: { mode: 'attempt', isolation: 'container' } }],
  ['pools of both modes', { runners: { default: {}, gpu: { mode: 'attempt', labels: ['gpu'] } }, keda }],
  ['without volumes', { runnerDefaults: { persistence: { enabled: false } } }],
  ['without policies', { networkPolicy: { enabled: false } }],
  ['without ways out', { networkPolicy: { egress: { databasePorts: [], publicPorts: [] } } }],
  ['images by digest', { image: { digest: `sha256:${'0'.repeat(64)}` }, imagePullSecrets: [{ name: 'registry' }] }],
  [
    'everything at once',
    {
      ...scaled,
      settings: oidc,
      ingress,
      httpRoute,
      runners: pools,
      podDisruptionBudget: { enabled: true },
      serviceMonitor: { enabled: true },
      seccompInstaller: { enabled: true },
      agentKeys: { existingSecret: 'keys', names: ['MODEL_KEY'] },
      caBundle: { configMap: 'company-ca' },
      secretSettings: { FORGES_FILE: { secret: 'forges', key: 'forges.json' } },
      database: { existingSecret: 'main-app', ownerSecret: 'main-owner', ownerUrlKey: 'uri' },
    },
  ],
];
