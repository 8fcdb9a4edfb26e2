import { isIP } from 'node:net';

/** One entry of a list of hosts. */
export interface HostRule {
  /** As `canonicalHost` writes it. */
  host: string;
  /** Every name below the host, at any depth, but not the host itself. */
  isWildcard: boolean;
  /** Null: 80 and 443. */
  port: number | null;
}

const RULE = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const WEB_PORTS = [80, 443];
/** What a URL would read as something else than a part of its host. */
const FOREIGN = /[\s/\\?#@%*]|^[^[].*:|\]:/;

/** A host in the one way in which hosts are compared: in lower case, without a last dot, IDN in ASCII, IPv4 in four
 *  numbers however it was written, IPv6 without brackets.
 *  @returns null where the text is no host */
export function canonicalHost(text: string): string | null {
  if (FOREIGN.test(text) || !URL.canParse(`http://${text}`)) return null;
  const { hostname } = new URL(`http://${text}`);
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === '' || host.length > 253 ? null : host;
}

/** `host`, `*.host` or `host:port`; IPv6 stands in brackets. @returns null for anything else */
export function parseHostRule(text: string): HostRule | null {
  const [, wildcard, name = '', digits] = RULE.exec(text.trim()) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? null : Number(digits);
  if (host === null || (wildcard && isIP(host)) || (port !== null && (port < 1 || port > 65_535))) return null;
  return { host, isWildcard: wildcard !== undefined, port };
}

/** As it is shown and stored. */
export function hostRuleText({ host, isWildcard, port }: HostRule): string {
  return (isWildcard ? '*.' : '') + (port === null ? bracketed(host) : hostAndPort(host, port));
}

/** @param host a canonical one */
export const hostAndPort = (host: string, port: number): string => `${bracketed(host)}:${port}`;

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Those that a rule stands for. */
export const portsOf = ({ port }: Pick<HostRule, 'port'>): number[] => (port === null ? WEB_PORTS : [port]);

/** Whether a rule names the host with this port. @param host a canonical one */
export function isListed(rules: readonly HostRule[], host: string, port: number): boolean {
  return rules.some(
    (rule) => (rule.isWildcard ? host.endsWith(`.${rule.host}`) : host === rule.host) && portsOf(rule).includes(port),
  );
}
