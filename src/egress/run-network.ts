import type { Environment } from '../config/environment.js';
import type { Sandbox } from '../platform/sandbox/sandbox.js';

/** What a project may ask for, from the widest to the narrowest. */
export const projectNetworks = ['open', 'listed', 'none'] as const;
export type ProjectNetwork = (typeof projectNetworks)[number];

/** `host`: what the server itself reaches, with its loopback. */
export const networkModes = ['host', ...projectNetworks] as const;
export type NetworkMode = (typeof networkModes)[number];

interface RunNetwork {
  network: NetworkMode;
  /** Why it is not what the project asks for, or how it is made; null where there is nothing to say. */
  reason: string | null;
}

type Settings = Pick<Environment, 'RUN_NETWORK'>;
type Walls = Pick<Sandbox, 'isolation' | 'reason'>;

const BY_PROXY = 'programs reach it by the proxy in HTTPS_PROXY: HTTP and HTTPS, and whatever else speaks CONNECT';

const BESIDE = 'runs share the network of their container, which is what its NetworkPolicy lets out';

/** The narrower of what the project asks for and what RUN_NETWORK allows. Without walls there is the network of the
 *  host or none of ours: `listed` and `none` are then refused by whoever starts a run. */
export function effectiveNetwork(wanted: ProjectNetwork, { RUN_NETWORK }: Settings, walls: Walls): RunNetwork {
  const cap = RUN_NETWORK === 'listed' || RUN_NETWORK === 'none' ? RUN_NETWORK : 'open';
  const network = projectNetworks.indexOf(cap) > projectNetworks.indexOf(wanted) ? cap : wanted;
  if (network !== 'open') return { network, reason: network === wanted ? null : `RUN_NETWORK=${cap}` };
  if (RUN_NETWORK === 'host') return { network: 'host', reason: 'RUN_NETWORK=host' };
  if (walls.isolation === 'container') return { network: 'host', reason: BESIDE };
  if (walls.isolation === 'none') return { network: 'host', reason: `runs have no walls: ${walls.reason}` };
  return { network, reason: BY_PROXY };
}

/** Why runs cannot have the network, or null. */
export const networkRefusal = ({ network }: RunNetwork, { isolation, reason }: Walls): string | null =>
  network !== 'host' && isolation !== 'bubblewrap'
    ? `a network of its own needs walls (${isolation === 'container' ? 'ISOLATION=container' : reason})`
    : null;
