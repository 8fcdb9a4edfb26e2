import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** What an address leads to. `own`: this machine, and what answers for it or its cloud to whoever asks from here. */
export type AddressKind = 'public' | 'private' | 'own';

const OWN_RANGES = ['unspecified', 'broadcast', 'multicast', 'linkLocal', 'loopback'];
/** Metadata of clouds beyond 169.254.0.0/16: Alibaba, Azure, Oracle, AWS and Google over IPv6. */
const METADATA = ['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fd00:ec2::/32', 'fd20:ce::/32'].map(
  (network) => ipaddr.parseCIDR(network),
);
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Ranges of IPv6 that hold an IPv4 address to which something on the way forwards. */
const TRANSLATED = ['rfc6145', 'rfc6052'];

/** @param address an IP address, without brackets */
export function kindOf(address: string): AddressKind {
  const given = ipaddr.process(address);
  const ip = TRANSLATED.includes(given.range()) ? embedded(given) : given;
  if (OWN_RANGES.includes(ip.range()) || METADATA.some((network) => isWithin(ip, network)) || isOfThisMachine(ip))
    return 'own';
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || isWithin(ip, GLOBAL_IPV6)) ? 'public' : 'private';
}

type Address = ReturnType<typeof ipaddr.process>;

const embedded = (ip: Address): Address => ipaddr.fromByteArray(ip.toByteArray().slice(-4));

const isWithin = (ip: Address, network: ReturnType<typeof ipaddr.parseCIDR>): boolean =>
  ip.kind() === network[0].kind() && ip.match(network);

function isOfThisMachine(ip: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return own.some((address) => ipaddr.process(address).toString() === ip.toString());
}
