import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IService } from 'kubernetes-models/v1/Service';
import type { IServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { named } from './cluster-values.js';

const api = named('', 'api').labels;
const runner = named('', 'runner').labels;

export const serviceAccount: IServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: named('taskyard', 'cluster'),
  automountServiceAccountToken: false,
};

/** Settings of all processes that are no secrets; overlays add theirs. */
export const settings: IConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: named('taskyard', 'cluster'),
  data: { LOG_LEVEL: 'info', MAX_CONCURRENT_EXECUTIONS: '8', RUNNER_LOST_SECS: '60' },
};

export const apiService: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: named('taskyard-api', 'api'),
  spec: { selector: api, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
};

/** Without an address of its own: each runner has a name, at which the others reach it. */
export const runnerService: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: named('taskyard-runner', 'runner'),
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true, // a runner that drains is still the home of its attempts
    selector: runner,
    ports: [
      { name: 'http', port: 8000, targetPort: 'http' },
      { name: 'internal', port: 8002, targetPort: 'internal' },
    ],
  },
};

/** The port between processes is for them alone. What runners reach is open: agents call models. */
export const runnerPolicy: INetworkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: named('taskyard-runner', 'runner'),
  spec: {
    podSelector: { matchLabels: runner },
    policyTypes: ['Ingress'],
    ingress: [
      {
        from: [{ podSelector: { matchLabels: api } }, { podSelector: { matchLabels: runner } }],
        ports: [{ port: 'internal' }],
      },
      { ports: [{ port: 'http' }] },
    ],
  },
};

export const apiBudget: IPodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: named('taskyard-api', 'api'),
  spec: { minAvailable: 1, selector: { matchLabels: api } },
};

export const runnerBudget: IPodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: named('taskyard-runner', 'runner'),
  spec: { maxUnavailable: 1, selector: { matchLabels: runner } },
};

export const apiScaler: IHorizontalPodAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: named('taskyard-api', 'api'),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'taskyard-api' },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
  },
};

/** By the places that all turns would fill, never by processor time. It goes down by one runner in half an hour, since
 *  the highest ordinal goes, busy or not. */
export const runnerScaler: IHorizontalPodAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: named('taskyard-runner', 'runner'),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'taskyard-runner' },
    minReplicas: 2,
    maxReplicas: 20,
    metrics: [
      {
        type: 'External',
        external: { metric: { name: 'taskyard_wanted_slots' }, target: { type: 'AverageValue', averageValue: '8' } },
      },
    ],
    behavior: {
      scaleDown: { stabilizationWindowSeconds: 1_800, policies: [{ type: 'Pods', value: 1, periodSeconds: 1_800 }] },
    },
  },
};

export const monitor: IServiceMonitor = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: named('taskyard', 'cluster'),
  spec: {
    selector: { matchLabels: { 'app.kubernetes.io/name': 'taskyard' } },
    endpoints: [
      {
        port: 'http',
        path: '/metrics',
        interval: '30s',
        authorization: { credentials: { name: 'taskyard', key: 'service-token' } },
      },
    ],
  },
};
