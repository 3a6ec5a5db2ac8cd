/**
 * Where the person pointed a coding CLI: hosts of providers that its variables or its own settings name. A sandbox knows the usual host of
 * each CLI only, so `sluice init` writes these down. A host and a port leave, never the rest of an address. **Effects** none.
 */
import { type Environment, textsOf } from './agent-login.js';
import type { KnownLogin } from './kind.js';
import { parseNetworkHost } from './network-host.js';

export function providerHosts({ addresses }: KnownLogin, env: Environment): readonly string[] {
  const set = addresses.variables.flatMap((name) => (env[name] === undefined ? [] : [env[name]]));
  const named = textsOf(addresses.configs, env).flatMap(({ text, names }) =>
    [...text.matchAll(names)].map(([, address]) => address),
  );
  return [...new Set([...set, ...named].flatMap((address) => hostOf(address) ?? []))];
}

/** As `networkAllow` takes it. Null: it is no address, or the sandbox could not let it through. */
function hostOf(address = ''): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  const usual = protocol === 'https:' ? '' : ':80';
  const host = `${hostname}${port === '' ? usual : `:${port}`}`;
  return parseNetworkHost(host) === null ? null : host;
}
