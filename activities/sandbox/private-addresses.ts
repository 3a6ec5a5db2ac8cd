/** Addresses that a name on a list may not stand for: this machine, private networks, and what is no single host. Source: IANA special-purpose address registries. */
import { BlockList, isIP, isIPv4 } from 'node:net';

type Subnets = readonly (readonly [string, number])[];

/** Networks of a house or a company. */
const INNER_V4: Subnets = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];

const INNER_V6: Subnets = [['fc00::', 7]];

const V4: Subnets = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Addresses that carry an IPv4 one in them (mapped, 6to4, NAT64, Teredo) are among them: what they lead to is not seen. */
const V6: Subnets = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** One list a family: a rule for mapped addresses would count for every IPv4 address too. */
const INNER = { ipv4: blockList(INNER_V4, 'ipv4'), ipv6: blockList(INNER_V6, 'ipv6') };
const NOWHERE = { ipv4: blockList(V4, 'ipv4'), ipv6: blockList(V6, 'ipv6') };

export type Reach =
  | 'world'
  /** A private network. */
  | 'inner'
  /** This machine, a neighbour without a router, what clouds tell their machines, many hosts or none; what is no address too. */
  | 'nowhere';

export function reachOf(address: string): Reach {
  if (isIP(address) === 0) return 'nowhere';
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (NOWHERE[family].check(address, family)) return 'nowhere';
  return INNER[family].check(address, family) ? 'inner' : 'world';
}

function blockList(subnets: Subnets, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, family);
  return list;
}
