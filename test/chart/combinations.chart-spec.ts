import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { variables } from '../../src/config/variables.js';
import { combinations } from '../support/chart/combinations.js';
import { labelsChosenBy, type Manifest, violations, workloadsOf } from '../support/chart/cluster-rules.js';
import { validate } from '../support/chart/models.js';
import { immutableParts, withNextVersion } from '../support/chart/next-version.js';
import { refusals } from '../support/chart/refusals.js';
import { chart, nested, notes, render, type Values } from '../support/chart/rendered.js';
import { HELM, onlyWith } from '../support/machine.js';

const settings = Object.keys(variables);
const identities = (documents: readonly Manifest[]): string[] =>
  documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();

onlyWith('helm').describe('the chart', () => {
  it('installs without a value, and is well-formed', () => {
    expect(spawnSync(HELM, ['lint', '--strict', chart], { encoding: 'utf8' })).toMatchObject({ status: 0 });
    expect(identities(render())).toEqual(identities(render({}, { args: ['--set', 'global.any=thing'] })));
  });

  it.each([...combinations, ...documented()])('holds to the models and to our rules: %s', (_, values) => {
    const documents = render(values);
    for (const document of documents) validate(document);
    expect(violations(documents, settings)).toEqual([]);
    expect(new Set(identities(documents)).size).toBe(documents.length);
  });

  it('is found out where it breaks a rule', () => {
    const documents = render({ autoscaling: { enabled: true } });
    const [api, runner] = ['Deployment', 'StatefulSet'].map(
      (kind) => documents.find((one) => one.kind === kind)! as unknown as Breakable,
    );
    const [container] = api!.spec.template.spec.containers;
    api!.spec.replicas = 2;
    api!.spec.selector.matchLabels.wrong = 'label';
    container!.image = 'taskyard:latest';
    container!.env.push({ name: 'LOG_LEVLE', value: 'info' }, { name: 'CLUSTER_SECRET', value: 'hunter2' });
    delete container!.readinessProbe;
    delete api!.spec.template.spec.enableServiceLinks;
    runner!.spec.template.spec.terminationGracePeriodSeconds = 60;
    expect(violations(documents, settings).length).toBeGreaterThanOrEqual(8);
  });

  it.each(refusals)('refuses %s', (_, values, reason) => {
    expect(() => render(values)).toThrow(reason);
  });

  it('has names and selectors by release, so that two live in one namespace', () => {
    const [one, other] = ['blue', 'taskyard-green'].map((release) => render({ ...everything() }, { release }));
    expect(identities(one!).filter((identity) => identities(other!).includes(identity))).toEqual([]);
    expect(violations([...one!, ...other!], settings)).toEqual([]);
    const releases = one!.flatMap((document) => labelsChosenBy(document)?.['app.kubernetes.io/instance'] ?? []);
    expect(new Set(releases)).toEqual(new Set(['blue']));
  });

  it('has names that a pod can carry, however long those of the release and the pool are', () => {
    const runners = { default: null, 'a-pool-of-them': {} };
    const documents = render(
      { ...everything(), runners },
      { release: 'a-release-with-as-long-a-name-as-helm-will-take-53' },
    );
    const set = documents.find(({ kind }) => kind === 'StatefulSet')!;
    expect(set.metadata.name.length).toBeLessThanOrEqual(52); // and eleven characters of its revision in a label
  });

  it('is named as it is told', () => {
    const names = render({ fullnameOverride: 'board' }).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !/^board(-|$)/.test(name))).toEqual([]);
  });

  it('changes nothing that is immutable with a new version, so that upgrade and rollback work', () => {
    const values = { ...everything(), image: { tag: '9.9.9' } };
    const upgraded = withNextVersion((from) => render(values, { from }));
    expect(immutableParts(upgraded)).toEqual(immutableParts(render(everything())));
  });

  it('migrates before an installation and each upgrade, by a Job that is replaced', () => {
    const job = render().find(({ kind }) => kind === 'Job')!;
    expect(job.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    });
    expect(JSON.stringify(job)).not.toMatch(/ttlSecondsAfterFinished|taskyard-secrets|configMapRef/);
  });

  it('needs no more of Pod Security than it says', () => {
    const loosened = (values: Values) =>
      workloadsOf(render(values)).filter((one) => /Unconfined|Unmasked|Localhost/.test(JSON.stringify(one)));
    expect(identities(loosened({}))).toEqual(['StatefulSet taskyard-runner-default']);
    expect(loosened(nested('runnerDefaults.isolation', 'none'))).toEqual([]);
    expect(JSON.stringify(loosened(nested('runnerDefaults.podSecurity', 'baseline')))).not.toMatch(
      /Unconfined|appArmor/,
    );
  });

  it('gives agents the home that is mounted, whoever their user is', () => {
    const [, set] = workloadsOf(render({ openshift: true, runnerDefaults: { isolation: 'none' } }));
    const { env, volumeMounts } = set!.spec.template.spec.containers[0]!;
    const home = env!.find(({ name }) => name === 'HOME')!.value;
    expect(volumeMounts!.map(({ mountPath }) => mountPath)).toContain(home);
  });

  it('gives the container of runs no secret, and no more than an attempt needs', () => {
    const set = workloadsOf(render({ runnerDefaults: { isolation: 'container' }, agentKeys, secretSettings }))[1]!;
    const agent = set.spec.template.spec.initContainers!.find(({ name }) => name === 'agent')!;
    const writable = agent.volumeMounts!.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
    expect(writable.sort()).toEqual(['/cell', '/data/worktrees', '/home/taskyard', '/tmp']);
    expect(JSON.stringify(agent)).not.toMatch(/secret|token|envFrom|valueFrom/i);
    expect(agent.restartPolicy).toBe('Always'); // or a Job with it would never be done
  });

  it('ships a seccomp profile that lets bubblewrap make its namespaces', () => {
    const profile = readFileSync(path.join(chart, 'files/bubblewrap-seccomp.json'), 'utf8');
    const { defaultAction, syscalls } = JSON.parse(profile) as {
      defaultAction: string;
      syscalls: { names: string[] }[];
    };
    const refused = syscalls.flatMap(({ names }) => names);
    expect(defaultAction).toBe('SCMP_ACT_ALLOW');
    expect(refused).toEqual(expect.arrayContaining(['bpf', 'kexec_load', 'init_module', 'keyctl', 'io_uring_setup']));
    const needed = ['clone', 'clone3', 'unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot'];
    expect(refused.filter((name) => needed.includes(name))).toEqual([]);
  });

  it('says where the page is and how to sign in', () => {
    expect(notes()).toContain('port-forward service/taskyard-api 8000:80');
    expect(notes()).toContain('get secret taskyard-secrets');
    const settings = {
      PUBLIC_URL: 'https://taskyard.example',
      OIDC_ISSUER: 'https://login.example',
      BASE_PATH: '/work',
    };
    const said = notes({ settings, secrets: { serviceTokenKey: '' } });
    expect(said).toContain('https://taskyard.example/work/ui\n');
    expect(said).toContain('sign in at https://login.example.');
    expect(said).not.toContain('get secret');
  });

  it('keeps the volumes of runners whose work is saved nowhere else', () => {
    const set = render(nested('settings.WORKSPACE_STORE', 'none')).find(({ kind }) => kind === 'StatefulSet');
    expect(set?.spec).toMatchObject({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } });
  });
});

const agentKeys = { existingSecret: 'keys', names: ['MODEL_KEY'] };
const secretSettings = { FORGES_FILE: { secret: 'forges', key: 'forges.json' } };

interface Breakable {
  spec: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    template: {
      spec: {
        enableServiceLinks?: boolean;
        terminationGracePeriodSeconds: number;
        containers: { image: string; env: { name: string; value: string }[]; readinessProbe?: unknown }[];
      };
    };
  };
}

/** The values that docs/kubernetes.md shows. */
function documented(): [string, Values][] {
  const page = readFileSync(path.join(chart, '../../../docs/kubernetes.md'), 'utf8');
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => parse(text) as Values);
  return blocks
    .filter((block) => !('kind' in block))
    .map((values, index) => [`documented values ${index + 1}`, values]);
}

const everything = (): Values => combinations.find(([name]) => name === 'everything at once')![1];
