/** Which hosts a sandbox may reach: those of its list, by name and port, and nothing that merely looks like one. Pure. */
import { isIP } from 'node:net';
import { type NetworkHost, parseNetworkHost } from '../../config/agents/network-host.js';

export interface Target {
  /** Lower case, without brackets and final dot. */
  readonly name: string;
  readonly port: number;
}

export type Judged =
  /** It stands on the list as an address: it needs no look-up, and may be private. */
  | { readonly kind: 'address'; readonly target: Target }
  /** `inner`: its person listed this very name, which may stand for a host of a private network. */
  | { readonly kind: 'name'; readonly target: Target; readonly inner: boolean }
  | { readonly kind: 'refused'; readonly why: string };

export interface Hosts {
  /** What the person listed. */
  readonly own: readonly string[];
  /** What is known of agents and registries. */
  readonly known: readonly string[];
}

export interface AllowList {
  /** `authority` as a CONNECT request names it: `host:port`. */
  judge(authority: string): Judged;
}

/** What is no host is left out: the config refused it. */
export function createAllowList(hosts: Hosts): AllowList {
  const [own, known] = [hosts.own, hosts.known].map((list) =>
    list.map(parseNetworkHost).filter((host) => host !== null),
  );
  return {
    judge(authority) {
      const target = targetOf(authority);
      if (target === null) return { kind: 'refused', why: 'it is no host with a port' };
      const listed = own?.find((host) => host.kind !== 'below' && fits(host, target));
      if (listed?.kind === 'address') return { kind: 'address', target };
      if (listed !== undefined) return { kind: 'name', target, inner: true };
      const found = [...(own ?? []), ...(known ?? [])].some((host) => host.kind !== 'address' && fits(host, target));
      return found ? { kind: 'name', target, inner: false } : { kind: 'refused', why: 'it is not on the list' };
    },
  };
}

/** Null: it is none. A port must be named, as a CONNECT request always does. */
function targetOf(authority: string): Target | null {
  if (!/:\d{1,5}$/.test(authority) || authority.startsWith('*')) return null;
  const host = parseNetworkHost(authority);
  return host === null ? null : { name: host.name, port: host.port };
}

function fits(host: NetworkHost, target: Target): boolean {
  if (host.port !== target.port) return false;
  if (host.kind !== 'below') return host.name === target.name;
  return isIP(target.name) === 0 && target.name.endsWith(`.${host.name}`);
}
