import { nested, type Values } from './rendered.js';

const attempts = { default: { mode: 'attempt' } };

/** Values that are refused, and what the refusal names. */
export const refusals: readonly (readonly [what: string, values: Values, reason: RegExp])[] = [
  ['a value that it does not know', { replicas: 3 }, /replicas/],
  ['one of a pool', nested('runners.default.replica', 3), /replica/],
  ['one below', nested('networkPolicy.egress.ports', [1]), /ports/],
  ['a setting that does not exist', nested('settings.LOG_LEVLE', 'info'), /LOG_LEVLE/],
  ['a setting that is its own', nested('settings.ROLE', 'all'), /ROLE/],
  ['a secret among settings', nested('settings.CLUSTER_SECRET', 'hunter2'), /CLUSTER_SECRET/],
  ['a name of a pool that no pod could carry', nested('runners.Java_21', {}), /Java_21/],
  ['a digest that is none', nested('image.digest', 'latest'), /digest/],
  ['keys of agents without their Secret', nested('agentKeys.names', ['KEY']), /agentKeys.existingSecret/],
  ['callers whom nobody knows', nested('secrets.serviceTokenKey', ''), /settings.OIDC_ISSUER/],
  [
    'pods that end with unsaved work',
    { runners: attempts, settings: { WORKSPACE_STORE: 'none' } },
    /runners.default.mode/,
  ],
  ['a pool that is named like the keeper', nested('runners.keeper', {}), /keeper/],
  ['bubblewrap on OpenShift', { openshift: true }, /runners.default.isolation/],
  ['a route without its Gateway', nested('httpRoute.enabled', true), /httpRoute.parentRefs/],
  ['an Ingress without a host', nested('ingress.enabled', true), /ingress.host/],
];
