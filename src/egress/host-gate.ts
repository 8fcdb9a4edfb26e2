import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { FairLimit } from '../git/limits.js';
import { isLoopback } from '../platform/access/access-control.js';
import { kindOf } from '../platform/network/addresses.js';
import { canonicalHost, hostAndPort, type HostRule, isListed } from '../platform/network/host-rule.js';
import type { NetworkMode } from './run-network.js';

/** What a run may reach at this moment. */
export interface Reach {
  network: NetworkMode;
  rules: readonly HostRule[];
}

/** Whether a connection may be made, and to which addresses alone; null where a parent proxy resolves the name. */
export type Verdict = { addresses: LookupAddress[] | null } | { status: 403 | 502; refusal: string };

interface GateOptions {
  /** Names the run among others. */
  id: string;
  /** @param isMiss asked anew because the host is not on the list that was known */
  reach: (isMiss: boolean) => Promise<Reach>;
  /** Hosts of this server, which runs reach by their MCP endpoint alone. */
  home: readonly string[];
  /** Told of a host that is not listed, and whether it is refused for that (not under `open`). */
  onUnlisted: (host: string, port: number, isRefused: boolean) => void;
  /** A parent proxy dials in place of this process. */
  hasParent: boolean;
}

/** Calls of getaddrinfo hold threads that the file system needs, for as long as a name server hangs. */
const lookups = new FairLimit(2, 1);

/** Decides where the connections of one run may go. */
export class HostGate {
  constructor(private readonly options: GateOptions) {}

  async admit(name: string, port: number): Promise<Verdict> {
    const host = canonicalHost(name);
    if (host === null) return refused(`"${name}" is no host`);
    const { network, isNamed } = await this.lookAtList(host, port);
    if (!isNamed) this.options.onUnlisted(host, port, network !== 'open');
    if (network === 'none' || (network !== 'open' && !isNamed)) return refused(unlisted(network, host, port));
    if (isLoopback(host) || this.options.home.includes(host)) return refused(leadsHome(host, port));
    if (isIP(host)) return checked(host, port, isNamed, [{ address: host, family: isIP(host) }]);
    return this.options.hasParent ? { addresses: null } : this.resolve(host, port, isNamed);
  }

  private async lookAtList(host: string, port: number) {
    const known = await this.options.reach(false);
    if (isListed(known.rules, host, port)) return { network: known.network, isNamed: true };
    const { network, rules } = await this.options.reach(true);
    return { network, isNamed: isListed(rules, host, port) };
  }

  private async resolve(host: string, port: number, isNamed: boolean): Promise<Verdict> {
    try {
      const found = await lookups.run(this.options.id, () => lookup(host, { all: true }));
      return checked(host, port, isNamed, found);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return { status: 502, refusal: `The name ${host} cannot be resolved (${code}).` };
    }
  }
}

/** All addresses of a name have to be harmless: whoever owns it chooses them. */
function checked(host: string, port: number, isNamed: boolean, found: LookupAddress[]): Verdict {
  const kinds = found.map(({ address }) => kindOf(address));
  if (kinds.includes('own')) return refused(leadsHome(host, port));
  if (kinds.includes('private') && !isNamed) return refused(`${hostAndPort(host, port)} has a private address: ${ASK}`);
  return { addresses: found };
}

const leadsHome = (host: string, port: number): string =>
  `${hostAndPort(host, port)} leads to the server's own machine or network, which no run reaches.`;

const ASK =
  'the project has to list it. Ask for it by the tool request_host, or go on without it; there is no other way out.';

const unlisted = (network: NetworkMode, host: string, port: number): string =>
  network === 'none'
    ? `This run has no network, so ${hostAndPort(host, port)} is out of reach; go on without it.`
    : `${hostAndPort(host, port)} is not on the list of this run (TASKYARD_ALLOWED_HOSTS): ${ASK}`;

const refused = (refusal: string): Verdict => ({ status: 403, refusal });
