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
  const { kind, metadata, spec } = one;
  const what = `${kind} ${metadata.name}`;
  const found: string[] = [];
  const labels = kind === 'Service' ? spec?.selector : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels);
  const chosen = workloads.filter(({ spec: { template } }) => labels && isWithin(labels, template.metadata.labels));
  if (labels && kind !== 'ServiceMonitor' && chosen.length === 0) found.push(`${what} selects nothing`);
  if (kind !== 'Job' && (one as Workload).spec?.template && !chosen.some((workload) => workload === one))
    found.push(`${what} does not select its own pods`);
  for (const { targetPort } of kind === 'Service' ? (spec?.ports ?? []) : [])
    if (!chosen.some((workload) => portsOf(workload).includes(String(targetPort))))
      found.push(`${what}: no port ${targetPort}`);
  const target = spec?.scaleTargetRef;
  if (target && !all.some((other) => other.kind === target.kind && other.metadata.name === target.name))
    found.push(`${what} scales nothing`);
  if (spec?.serviceName && !all.some((other) => other.kind === 'Service' && other.metadata.name === spec.serviceName))
    found.push(`${what}: no service ${spec.serviceName}`);
  return found;
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
  const context = one.securityContext;
  const env = one.env ?? [];
  const rules: [boolean, string][] = [
    [/:[\w.-]+$/.test(one.image ?? '') && !one.image!.endsWith(':latest'), 'an image with a version'],
    [kind === 'Job' || Boolean(one.readinessProbe && one.livenessProbe && one.startupProbe), 'probes'],
    [Boolean(one.resources?.requests && one.resources.limits), 'requests and limits'],
    [context?.readOnlyRootFilesystem === true, 'a root that is read-only'],
    [context?.allowPrivilegeEscalation === false, 'no escalation'],
    [context?.capabilities?.drop?.includes('ALL') === true, 'no capabilities'],
    [
      !env.some(
        ({ name, value }) => SECRET.test(name) && !(name.endsWith('_FILE') && value?.startsWith('/run/secrets/')),
      ),
      'secrets by file',
    ],
  ];
  return [
    ...broken(what, rules),
    ...unknownSettings(
      what,
      env.map(({ name }) => name),
      settings,
    ),
  ];
}

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
