import type { Row } from './value-rows.js';
import { env, placementRows } from './value-rows.js';

const SET = 'StatefulSet runner-default';
const SCALER = 'HorizontalPodAutoscaler runner-default';
const scaled = { runnerDefaults: { autoscaling: { enabled: true } } };
const inContainer = { runnerDefaults: { isolation: 'container' } };
const JOB = 'ScaledJob runner-default';
const KEEPER = 'StatefulSet runner-keeper';
const jobs = { runners: { default: { mode: 'attempt' } } };
const installer = { seccompInstaller: { enabled: true } };
const size = (name: string): string => `${SET} spec.volumeClaimTemplates.${name}.spec.resources.requests.storage`;

/** What each value of runners changes. A pool of its own says the same as runnerDefaults, for itself. */
export const runnerRows: readonly Row[] = [
  ['runners.default', { slots: 2 }, [env(SET, 'MAX_CONCURRENT_EXECUTIONS')]],
  ['runners.java21', { image: { repository: 'java21' } }, ['StatefulSet runner-java21']],
  ['runners.default', null, [SET], { runners: { java21: {} } }],
  ['runners.default', { mode: 'attempt' }, [SET, JOB, KEEPER, 'TriggerAuthentication keda']],
  ['runnerDefaults.mode', 'attempt', [SET, JOB, KEEPER, 'TriggerAuthentication keda']],
  ['runnerDefaults.labels', ['java21'], [env(SET, 'RUNNER_LABELS')]],
  [
    'runners.default',
    { mode: 'attempt', labels: ['gpu', 'java21'], executors: ['CODEX'] },
    [env(JOB, 'RUNNER_LABELS'), env(JOB, 'EXECUTORS'), `${JOB} spec.triggers.0.metadata.query`],
    jobs,
  ],
  ['runnerDefaults.replicas', 3, [`${SET} spec.replicas`]],
  ['runnerDefaults.image.registry', 'ghcr.example', [`${SET} container.image`]],
  ['runnerDefaults.image.repository', 'toolchain', [`${SET} container.image`]],
  ['runnerDefaults.image.tag', '0.2.0', [`${SET} container.image`]],
  ['runnerDefaults.image.digest', `sha256:${'0'.repeat(64)}`, [`${SET} container.image`]],
  ['runnerDefaults.executors', ['CLAUDE_CODE', 'CODEX'], [env(SET, 'EXECUTORS')]],
  [
    'runnerDefaults.slots',
    2,
    [env(SET, 'MAX_CONCURRENT_EXECUTIONS'), `${SCALER} spec.metrics.0.external.target.averageValue`],
    scaled,
  ],
  ['runnerDefaults.settings', { RUN_DISK_MAX: 4_000_000_000 }, [env(SET, 'RUN_DISK_MAX')]],
  ['runnerDefaults.drainSecs', 7200, [env(SET, 'DRAIN_SECS'), `${SET} pod.terminationGracePeriodSeconds`]],
  ['runnerDefaults.resources', { limits: { memory: '8Gi' } }, [`${SET} container.resources.limits.memory`]],
  [
    'runnerDefaults.isolation',
    'none',
    [
      ...[env(SET, 'ISOLATION'), `${SET} pod.hostUsers`],
      ...['procMount', 'seccompProfile', 'appArmorProfile'].map((field) => `${SET} container.securityContext.${field}`),
    ],
  ],
  [
    'runnerDefaults.isolation',
    'container',
    [
      ...[env(SET, 'ISOLATION'), env(SET, 'CELL_SOCKET'), `${SET} pod.hostUsers`, `${SET} pod.initContainers`],
      ...['procMount', 'seccompProfile', 'appArmorProfile'].map((field) => `${SET} container.securityContext.${field}`),
      ...[`${SET} container.resources`, `${SET} container.volumeMounts.home`],
      ...[`${SET} container.volumeMounts.cell`, `${SET} pod.volumes`],
    ],
  ],
  [
    'runnerDefaults.serverResources',
    { limits: { memory: '2Gi' } },
    [`${SET} container.resources.limits.memory`, `${SET} pod.initContainers.prepare.resources.limits.memory`],
    inContainer,
  ],
  ['runners.default', { image: { repository: 'java21' } }, [`${SET} pod.initContainers.agent.image`], inContainer],
  ['runnerDefaults.attempt.idleSecs', 60, [env(JOB, 'RUNNER_IDLE_SECS')], jobs],
  ['runnerDefaults.attempt.unusedSecs', 3600, [env(JOB, 'RUNNER_UNUSED_SECS')], jobs],
  ['runnerDefaults.attempt.warmPods', 2, [`${JOB} spec.minReplicaCount`], jobs],
  ['runnerDefaults.attempt.maxPods', 200, [`${JOB} spec.maxReplicaCount`], jobs],
  [
    'runnerDefaults.podSecurity',
    'baseline',
    ['seccompProfile', 'appArmorProfile'].map((field) => `${SET} container.securityContext.${field}`),
  ],
  [
    'runnerDefaults.persistence.enabled',
    false,
    [
      ...[`${SET} spec.volumeClaimTemplates`, `${SET} spec.persistentVolumeClaimRetentionPolicy`],
      ...[`${SET} pod.volumes.data`, `${SET} pod.volumes.home`],
    ],
  ],
  ['runnerDefaults.persistence.size', '100Gi', [size('data')]],
  ['runnerDefaults.persistence.homeSize', '20Gi', [size('home')]],
  [
    'runnerDefaults.persistence.storageClass',
    'fast',
    ['data', 'home'].map((name) => `${SET} spec.volumeClaimTemplates.${name}.spec.storageClassName`),
  ],
  ['runnerDefaults.persistence.whenScaled', 'Retain', [`${SET} spec.persistentVolumeClaimRetentionPolicy.whenScaled`]],
  [
    'runnerDefaults.persistence.whenDeleted',
    'Delete',
    [`${SET} spec.persistentVolumeClaimRetentionPolicy.whenDeleted`],
  ],
  ['runnerDefaults.autoscaling.enabled', true, [SCALER, `${SET} spec.replicas`]],
  ['runnerDefaults.autoscaling.minReplicas', 1, [`${SCALER} spec.minReplicas`], scaled],
  ['runnerDefaults.autoscaling.maxReplicas', 50, [`${SCALER} spec.maxReplicas`], scaled],
  ['runnerDefaults.autoscaling.metric', 'turns', [`${SCALER} spec.metrics.0.external.metric.name`], scaled],
  ['runnerDefaults.autoscaling.selector', { pool: 'a' }, [`${SCALER} spec.metrics.0.external.metric.selector`], scaled],
  ...placementRows('runnerDefaults', SET),
  ['keeper.slots', 2, [env(KEEPER, 'MAX_CONCURRENT_EXECUTIONS')], jobs],
  ['keeper.settings', { WORKTREE_TTL_HOURS: 24 }, [env(KEEPER, 'WORKTREE_TTL_HOURS')], jobs],
  ['keeper.resources', { limits: { memory: '4Gi' } }, [`${KEEPER} container.resources.limits.memory`], jobs],
  ['keda.existingSecret', 'scaler', ['TriggerAuthentication keda spec.secretTargetRef'], jobs],
  ['keda.urlKey', 'url', ['TriggerAuthentication keda spec.secretTargetRef'], jobs],
  ['keda.pollingSecs', 15, [`${JOB} spec.pollingInterval`], jobs],
  ['seccompInstaller.enabled', true, ['ConfigMap seccomp', 'DaemonSet seccomp']],
  [
    'seccompInstaller.namespace',
    'nodes',
    ['ConfigMap', 'DaemonSet'].map((kind) => `${kind} seccomp metadata.namespace`),
    installer,
  ],
  ['seccompInstaller.folder', '/data/kubelet/seccomp', ['DaemonSet seccomp pod.volumes.node'], installer],
  ['seccompInstaller.resources', { limits: { memory: '64Mi' } }, ['DaemonSet seccomp container.resources'], installer],
  ['seccompInstaller.nodeSelector', { disk: 'ssd' }, ['DaemonSet seccomp pod.nodeSelector.disk'], installer],
  ['seccompInstaller.tolerations', [{ operator: 'Exists' }], ['DaemonSet seccomp pod.tolerations'], installer],
];
