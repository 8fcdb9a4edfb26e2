import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

// IANA's special-purpose registries: this machine, private and link-local networks, multicast, and what embeds IPv4.
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
const PUBLIC_IPV6 = '2000::/3';
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special = listOf(SPECIAL_IPV4, 'ipv4');
const publicIpv6 = listOf([PUBLIC_IPV6], 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

/** Addresses of a host, if every one of them is of the public internet; else none. */
export async function publicAddresses(host: string): Promise<string[]> {
  try {
    const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true });
    return found.every(({ address, family }) => isPublic(address, family)) ? found.map(({ address }) => address) : [];
  } catch {
    return []; // unknown names are answered like private ones, or the answer would tell which names there are
  }
}

export function isPublic(address: string, family: number): boolean {
  if (family === 4) return !special.check(address, 'ipv4');
  return publicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), family);
  }
  return list;
}
