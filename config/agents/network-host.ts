/**
 * A host that a sandbox may reach, as a config file writes it: `name`, `name:port`, `*.domain`, an address with a port.
 * A name stands for what it resolves to elsewhere, never for this machine; an address stands for itself.
 */
import { isIP } from 'node:net';

export interface NetworkHost {
  /** Lower case, without a final dot; of a wildcard what follows `*.`; an IPv6 address without brackets. */
  readonly name: string;
  readonly port: number;
  readonly kind: 'name' | 'below' | 'address';
}

export const NETWORK_HOST_RULE =
  'must be a host such as api.example.com, api.example.com:8443, *.example.com, 127.0.0.1:8080 or [::1]:8080; without a port it is 443';

const DEFAULT_PORT = 443;

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';

const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Null: it is none. `localhost` is 127.0.0.1: a name of this machine means one thing only. */
export function parseNetworkHost(text: string): NetworkHost | null {
  const [, bracketed, plain = '', digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (port < 1 || port > 65_535) return null;
  if (bracketed !== undefined)
    return isIP(bracketed) === 6 ? { name: bracketed.toLowerCase(), port, kind: 'address' } : null;
  const written = plain.toLowerCase().replace(/\.$/, '');
  if (written === 'localhost') return { name: '127.0.0.1', port, kind: 'address' };
  if (isIP(written) === 4) return { name: written, port, kind: 'address' };
  const isBelow = written.startsWith('*.');
  const name = isBelow ? written.slice(2) : written;
  // A last label of digits would be read as an address by some resolvers.
  if (name.length > 253 || !NAME.test(name) || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return null;
  if (isBelow && !name.includes('.')) return null;
  return { name, port, kind: isBelow ? 'below' : 'name' };
}
