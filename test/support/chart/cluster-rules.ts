import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';

type Labels = Record<string, string>;

/** What of a document the rules look at. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Labels; annotations?: Labels };
  data?: Labels;
  spec?: {
    replicas?: number;
    selector?: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels?: Labels };
    ports?: { targetPort?: string | number }[];
    scaleTargetRef?: { kind: string; name: string };
    serviceName?: string;
    template?: PodTemplate;
    jobTargetRef?: { template: PodTemplate };
  };
}
interface PodTemplate {
  metadata: { labels: Labels };
  spec: IPodSpec;
}
export type Workload = Manifest & { spec: { template: PodTemplate } };

/** Other keys are names of files. */
const isVariable = (key: string): boolean => /^[A-Z0-9_]+$/.test(key);
/** What the pod says for itself; keys of agents come from a Secret. */
const OWN = new Set(['HOME', 'POD_NAME', 'POD_IP', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']);
const SECRET = /TOKEN|SECRET|PASSWORD|DATABASE_URL/;

/** What no model of a kind can say: how documents fit together and to this program.
 *  @param settings names of every setting */
export function violations(documents: readonly Manifest[], settings: readonly string[]): string[] {
  const workloads = workloadsOf(documents);
  return [
    ...documents.flatMap((one) => selectorViolations(one, workloads, documents)),
    ...documents.flatMap(({ kind, data = {} }) =>
      kind === 'ConfigMap' ? unknownSettings('ConfigMap', Object.keys(data).filter(isVariable), settings) : [],
    ),
    ...workloads.flatMap((one) => workloadViolations(one, settings)),
  ];
}

/** What has pods; a pod by itself is one of its own. */
export const workloadsOf = (documents: readonly Manifest[]): Workload[] =>
  documents.flatMap((one) => {
    if (one.kind === 'Pod') return [{ ...one, spec: { template: one as unknown as PodTemplate } }];
    if (one.spec?.jobTargetRef) return [{ ...one, spec: { ...one.spec, template: one.spec.jobTargetRef.template } }];
    return one.spec?.template ? [one as Workload] : [];
  });

function selectorViolations(one: Manifest, workloads: readonly Workload[], all: readonly Manifest[]): string[] {
  const labels = labelsChosenBy(one);
  const chosen = workloads.filter(({ spec }) => labels !== null && isWithin(labels, spec.template.metadata.labels));
  const rules: [boolean, string][] = [
    [labels === null || one.kind === 'ServiceMonitor' || chosen.length > 0, 'selects nothing'],
    [!isSet(one) || chosen.some((workload) => workload === one), 'does not select its own pods'],
    [isNamed(one.spec?.scaleTargetRef, all), 'scales nothing'],
    [
      !all.some((scaler) => isScaledBy(one, scaler)) || one.spec?.replicas === undefined,
      'says what its scaler decides',
    ],
    [isNamed(serviceOf(one), all), 'has no service'],
  ];
  return [...broken(`${one.kind} ${one.metadata.name}`, rules), ...portViolations(one, chosen)];
}

/** Labels of the pods that a document is for; null: for none. */
export function labelsChosenBy({ kind, spec = {} }: Manifest): Labels | null {
  if (kind === 'Service') return spec.selector ?? null;
  return spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? null;
}

/** What ends by itself: a Job is given the labels that it selects, a pod of a test has none. */
const isOnce = ({ kind }: Pick<Manifest, 'kind'>): boolean => kind === 'Job' || kind === 'Pod';
const isSet = (one: Manifest): boolean => !isOnce(one) && one.spec?.template !== undefined;
/** Writes a folder of the node, as root, and serves nobody. */
const isInstaller = ({ kind }: Pick<Manifest, 'kind'>): boolean => kind === 'DaemonSet';
const isScaledBy = ({ kind, metadata }: Manifest, { spec }: Manifest): boolean =>
  spec?.scaleTargetRef?.kind === kind && spec.scaleTargetRef.name === metadata.name;
const serviceOf = ({ spec }: Manifest) => (spec?.serviceName ? { kind: 'Service', name: spec.serviceName } : undefined);
const isNamed = (wanted: { kind: string; name: string } | undefined, all: readonly Manifest[]): boolean =>
  !wanted || all.some(({ kind, metadata }) => kind === wanted.kind && metadata.name === wanted.name);

function portViolations({ kind, metadata, spec }: Manifest, chosen: readonly Workload[]): string[] {
  if (kind !== 'Service') return [];
  const known = chosen.flatMap(portsOf);
  const missing = (spec?.ports ?? []).filter(({ targetPort }) => !known.includes(String(targetPort)));
  return missing.map(({ targetPort }) => `Service ${metadata.name}: no port ${targetPort}`);
}

function workloadViolations(one: Workload, settings: readonly string[]): string[] {
  const { containers, initContainers = [] } = one.spec.template.spec;
  const serves = !isOnce(one) && !isInstaller(one);
  const what = `${one.kind} ${one.metadata.name}`;
  return [
    ...broken(what, podRules(one, serves)),
    ...(serves ? containers.flatMap((container) => broken(what, probesOf(container))) : []),
    ...[...containers, ...initContainers].flatMap((container) => containerViolations(one, container, settings)),
  ];
}

function podRules(one: Workload, serves: boolean): [boolean, string][] {
  const pod = one.spec.template.spec;
  const isHook = one.metadata.annotations?.['helm.sh/hook']?.startsWith('pre-install') === true;
  return [
    [pod.automountServiceAccountToken === false, 'no token of the cluster'],
    [pod.enableServiceLinks === false, 'no settings from the names of Services'],
    [!isHook || pod.serviceAccountName === undefined, 'no service account before there is one'],
    [isInstaller(one) || pod.securityContext?.runAsNonRoot === true, 'not as root'],
    [isInstaller(one) || pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'seccomp'],
    [!serves || (pod.terminationGracePeriodSeconds ?? 30) > drainOf(pod) + 30, 'grace beyond DRAIN_SECS'],
  ];
}

function containerViolations(of: Workload, one: IContainer, settings: readonly string[]): string[] {
  const what = `${of.kind} ${of.metadata.name}`;
  const { image = '', env = [], resources } = one;
  const rules: [boolean, string][] = [
    [/:[\w.-]+$|@sha256:/.test(image) && !image.endsWith(':latest'), 'an image with a version'],
    [[resources?.requests, resources?.limits].every(Boolean), 'requests and limits'],
    [!env.some(isOpenSecret), 'secrets by file'],
    ...rightsOf(one.securityContext),
  ];
  const names = env.filter(({ valueFrom }) => !valueFrom?.secretKeyRef).map(({ name }) => name);
  return [...broken(what, rules), ...unknownSettings(what, names, settings)];
}

const probesOf = (one: IContainer): [boolean, string][] => [
  [[one.readinessProbe, one.livenessProbe, one.startupProbe].every(Boolean), 'probes'],
];

const rightsOf = (context: IContainer['securityContext']): [boolean, string][] => [
  [context?.readOnlyRootFilesystem === true, 'a root that is read-only'],
  [context?.allowPrivilegeEscalation === false, 'no escalation'],
  [context?.capabilities?.drop?.includes('ALL') === true, 'no capabilities'],
];

const isOpenSecret = ({ name, value }: { name: string; value?: string }): boolean =>
  SECRET.test(name) && value !== undefined && !(name.endsWith('_FILE') && value.startsWith('/run/secrets/'));

const broken = (what: string, rules: readonly [boolean, string][]): string[] =>
  rules.filter(([isKept]) => !isKept).map(([, rule]) => `${what}: ${rule}`);

const unknownSettings = (what: string, names: readonly string[], settings: readonly string[]): string[] =>
  names
    .filter((name) => !OWN.has(name) && !settings.includes(name.replace(/_FILE$/, '')) && !settings.includes(name))
    .map((name) => `${what}: no setting is called ${name}`);

const isWithin = (labels: Labels, all: Labels): boolean =>
  Object.entries(labels).every(([name, value]) => all[name] === value);
const portsOf = ({ spec: { template } }: Workload): string[] =>
  template.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, containerPort }) => [String(name), String(containerPort)]),
  );
const drainOf = ({ containers }: IPodSpec): number =>
  Number(containers.flatMap(({ env = [] }) => env).find(({ name }) => name === 'DRAIN_SECS')?.value ?? 0);
