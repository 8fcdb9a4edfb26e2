import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPersistentVolumeClaimSpec } from 'kubernetes-models/v1/PersistentVolumeClaimSpec';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IVolume } from 'kubernetes-models/v1/Volume';
import type { Variable } from './cluster-values.js';
import { type ClusterValues, named } from './cluster-values.js';

/** Drains are given what is left of it: DRAIN_SECS must be shorter. */
const RUNNER_GRACE_SECS = 3_600;
const API_GRACE_SECS = 45;

/** What the pod security standard `restricted` asks of a container. */
const restricted: IContainer['securityContext'] = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
};
/** The sandbox of runs makes namespaces, and mounts a /proc of its own. */
const forSandbox: IContainer['securityContext'] = {
  ...restricted,
  seccompProfile: { type: 'Unconfined' },
  appArmorProfile: { type: 'Unconfined' },
  procMount: 'Unmasked',
};
const user: IPodSpec['securityContext'] = {
  runAsNonRoot: true,
  runAsUser: 10_001,
  runAsGroup: 10_001,
  fsGroup: 10_001,
  seccompProfile: { type: 'RuntimeDefault' },
};
const pod = { serviceAccountName: 'taskyard', automountServiceAccountToken: false, securityContext: user };

const probes: Pick<IContainer, 'startupProbe' | 'livenessProbe' | 'readinessProbe'> = {
  startupProbe: { httpGet: { path: '/health/live', port: 'http' }, periodSeconds: 2, failureThreshold: 60 },
  livenessProbe: { httpGet: { path: '/health/live', port: 'http' }, periodSeconds: 10, timeoutSeconds: 3 },
  readinessProbe: { httpGet: { path: '/health/ready', port: 'http' }, periodSeconds: 5, timeoutSeconds: 3 },
};

const claim = (storage: string): IPersistentVolumeClaimSpec => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
});

const SECRETS = '/run/secrets/taskyard';
const fromFile = (name: string, key: string): Variable => ({ name: `${name}_FILE`, value: `${SECRETS}/${key}` });
const serverSecrets = [
  fromFile('DATABASE_URL', 'database-url'),
  fromFile('TASKFLOW_SERVICE_TOKEN', 'service-token'),
  fromFile('CLUSTER_SECRET', 'cluster-secret'),
];
const serverKeys = ['database-url', 'service-token', 'cluster-secret'];
const secretVolume = (secretName: string, keys: string[]): IVolume => ({
  name: 'secrets',
  secret: { secretName, defaultMode: 0o440, items: keys.map((key) => ({ key, path: key })) },
});
const temporary: IVolume = { name: 'tmp', emptyDir: {} };
const mounts = [
  { name: 'secrets', mountPath: SECRETS, readOnly: true },
  { name: 'tmp', mountPath: '/tmp' },
];

export const apiDeployment = ({ images, secret, api }: ClusterValues): IDeployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: named('taskyard-api', 'api'),
  spec: {
    replicas: api.replicas,
    selector: { matchLabels: named('', 'api').labels },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: named('', 'api').labels },
      spec: {
        ...pod,
        terminationGracePeriodSeconds: API_GRACE_SECS,
        containers: [
          {
            name: 'api',
            image: images.server,
            env: [{ name: 'ROLE', value: 'api' }, { name: 'HOST', value: '0.0.0.0' }, ...serverSecrets],
            envFrom: [{ configMapRef: { name: 'taskyard' } }],
            ports: [{ name: 'http', containerPort: 8000 }],
            ...probes,
            // endpoints are told of a stop while it happens: until then requests still come
            lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
            resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
            securityContext: restricted,
            volumeMounts: mounts,
          },
        ],
        volumes: [secretVolume(secret, serverKeys), temporary],
      },
    },
  },
});

export const runnerSet = ({ images, secret, runner }: ClusterValues): IStatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: named('taskyard-runner', 'runner'),
  spec: {
    replicas: runner.replicas,
    serviceName: 'taskyard-runner',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: named('', 'runner').labels },
    template: {
      metadata: {
        labels: named('', 'runner').labels,
        annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
      },
      spec: {
        ...pod,
        hostUsers: false,
        terminationGracePeriodSeconds: RUNNER_GRACE_SECS,
        containers: [
          {
            name: 'runner',
            image: images.runner,
            env: [
              { name: 'ROLE', value: 'runner' },
              { name: 'HOST', value: '0.0.0.0' },
              { name: 'ISOLATION', value: 'bubblewrap' },
              { name: 'DRAIN_SECS', value: runner.drainSecs },
              { name: 'AGENT_API_URL', value: 'http://taskyard-api' },
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'INTERNAL_ADDRESS', value: '$(POD_NAME).taskyard-runner:8002' },
              ...serverSecrets,
            ],
            envFrom: [{ configMapRef: { name: 'taskyard' } }],
            ports: [
              { name: 'http', containerPort: 8000 },
              { name: 'internal', containerPort: 8002 },
            ],
            ...probes,
            resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '16Gi' } },
            securityContext: forSandbox,
            volumeMounts: [
              ...mounts,
              { name: 'data', mountPath: '/data' },
              { name: 'home', mountPath: '/home/taskyard' },
            ],
          },
        ],
        volumes: [secretVolume(secret, serverKeys), temporary],
      },
    },
    // the second one holds the logins and sessions of agents, which DATA_DIR would hide from them
    volumeClaimTemplates: [
      { metadata: { name: 'data' }, spec: claim(runner.storage) },
      { metadata: { name: 'home' }, spec: claim('10Gi') },
    ],
  },
});

/** Runs before each upgrade; `api` and `runner` wait for the schema. */
export const migrationJob = ({ images, secret }: ClusterValues): IJob => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: named('taskyard-migrate', 'migrate'),
  spec: {
    backoffLimit: 5,
    ttlSecondsAfterFinished: 600,
    template: {
      metadata: { labels: named('', 'migrate').labels },
      spec: {
        ...pod,
        restartPolicy: 'OnFailure',
        containers: [
          {
            name: 'migrate',
            image: images.server,
            args: ['node', '--enable-source-maps', 'dist/bundle/migrate.js'],
            env: [
              fromFile('DATABASE_URL', 'database-url'),
              fromFile('MIGRATION_DATABASE_URL', 'migration-database-url'),
            ],
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
            securityContext: restricted,
            volumeMounts: mounts,
          },
        ],
        volumes: [secretVolume(secret, ['database-url', 'migration-database-url']), temporary],
      },
    },
  },
});
