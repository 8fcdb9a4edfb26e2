import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';

type Labels = Record<string, string>;

/** What of a document the rules look at. */
export interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Labels;
  spec?: {
    selector?: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels?: Labels };
    ports?: { targetPort?: string | number }[];
    scaleTargetRef?: { kind: string; name: string };
    serviceName?: string;
    template?: { metadata: { labels: Labels }; spec: IPodSpec };
  };
}
type Workload = Manifest & { spec: { template: { metadata: { labels: Labels }; spec: IPodSpec } } };

const OWN = new Set(['HOME', 'POD_NAME']);
const SECRET = /TOKEN|SECRET|PASSWORD|DATABASE_URL/;

/** What no model of a kind can say: how documents fit together and to this program.
 *  @param settings names of every setting */
export function violations(documents: readonly Manifest[], settings: readonly string[]): string[] {
  const workloads = documents.filter((one): one is Workload => one.spec?.template !== undefined);
  return [
    ...documents.flatMap((one) => selectorViolations(one, workloads, documents)),
    ...documents.flatMap(({ kind, data = {} }) =>
      kind === 'ConfigMap' ? unknownSettings('ConfigMap', Object.keys(data), settings) : [],
    ),
    ...workloads.flatMap((one) => workloadViolations(one, settings)),
  ];
}

function selectorViolations(one: Manifest, workloads: readonly Workload[], all: readonly Manifest[]): string[] {
  const labels = labelsChosenBy(one);
  const chosen = workloads.filter(({ spec }) => labels !== null && isWithin(labels, spec.template.metadata.labels));
  const rules: [boolean, string][] = [
    [labels === null || one.kind === 'ServiceMonitor' || chosen.length > 0, 'selects nothing'],
    [!isSet(one) || chosen.some((workload) => workload === one), 'does not select its own pods'],
    [isNamed(one.spec?.scaleTargetRef, all), 'scales nothing'],
    [isNamed(serviceOf(one), all), 'has no service'],
  ];
  return [...broken(`${one.kind} ${one.metadata.name}`, rules), ...portViolations(one, chosen)];
}

function labelsChosenBy({ kind, spec = {} }: Manifest): Labels | null {
  if (kind === 'Service') return spec.selector ?? null;
  return spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? null;
}

/** A Job is given the labels that it selects. */
const isSet = ({ kind, spec }: Manifest): boolean => kind !== 'Job' && spec?.template !== undefined;
const serviceOf = ({ spec }: Manifest) => (spec?.serviceName ? { kind: 'Service', name: spec.serviceName } : undefined);
const isNamed = (wanted: { kind: string; name: string } | undefined, all: readonly Manifest[]): boolean =>
  !wanted || all.some(({ kind, metadata }) => kind === wanted.kind && metadata.name === wanted.name);

function portViolations({ kind, metadata, spec }: Manifest, chosen: readonly Workload[]): string[] {
  if (kind !== 'Service') return [];
  const known = chosen.flatMap(portsOf);
  const missing = (spec?.ports ?? []).filter(({ targetPort }) => !known.includes(String(targetPort)));
  return missing.map(({ targetPort }) => `Service ${metadata.name}: no port ${targetPort}`);
}

function workloadViolations({ kind, metadata, spec: { template } }: Workload, settings: readonly string[]): string[] {
  const pod = template.spec;
  const what = `${kind} ${metadata.name}`;
  const rules: [boolean, string][] = [
    [pod.automountServiceAccountToken === false, 'no token of the cluster'],
    [pod.securityContext?.runAsNonRoot === true, 'not as root'],
    [pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'seccomp'],
    [kind === 'Job' || (pod.terminationGracePeriodSeconds ?? 30) > drainOf(pod) + 30, 'grace beyond DRAIN_SECS'],
  ];
  return [
    ...broken(what, rules),
    ...pod.containers.flatMap((container) => containerViolations(what, kind, container, settings)),
  ];
}

function containerViolations(what: string, kind: string, one: IContainer, settings: readonly string[]): string[] {
  const { image = '', env = [], resources } = one;
  const rules: [boolean, string][] = [
    [/:[\w.-]+$/.test(image) && !image.endsWith(':latest'), 'an image with a version'],
    [kind === 'Job' || [one.readinessProbe, one.livenessProbe, one.startupProbe].every(Boolean), 'probes'],
    [[resources?.requests, resources?.limits].every(Boolean), 'requests and limits'],
    [!env.some(isOpenSecret), 'secrets by file'],
    ...rightsOf(one.securityContext),
  ];
  const names = env.map(({ name }) => name);
  return [...broken(what, rules), ...unknownSettings(what, names, settings)];
}

const rightsOf = (context: IContainer['securityContext']): [boolean, string][] => [
  [context?.readOnlyRootFilesystem === true, 'a root that is read-only'],
  [context?.allowPrivilegeEscalation === false, 'no escalation'],
  [context?.capabilities?.drop?.includes('ALL') === true, 'no capabilities'],
];

const isOpenSecret = ({ name, value }: { name: string; value?: string }): boolean =>
  SECRET.test(name) && !(name.endsWith('_FILE') && value?.startsWith('/run/secrets/'));

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
