/**
 * What of the person's environment a run may see (V-120): an allowlist, taken once at run start, so that a restart of the worker
 * under another environment changes nothing. Server and forge tokens, keys, the SSH agent and the session bus are not on it.
 * HOME is, so that a person's login stays usable; what HOME holds can therefore be read by an agent.
 */
import { programPath } from '../../../config/system/program-path.js';
import { UMASK_VARIABLE } from '../../../protocol/names.js';

/** CA bundles and XDG folders are paths, without which many agents find neither their server nor their login. */
const ALLOWED: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  UMASK_VARIABLE,
  'NO_PROXY',
  'no_proxy',
]);

const PROXIES: ReadonlySet<string> = new Set([
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
]);

const LOCALE = /^LC_[A-Z]+$/;

/** Pure. What an agent needs beyond this (an API key, say) stands in `agents.<name>.env` of a trusted config. */
export function captureEnvironment(source: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const captured: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (ALLOWED.has(name) || LOCALE.test(name)) captured[name] = value;
    if (PROXIES.has(name) && !carriesPassword(value)) captured[name] = value;
    if (name === 'PATH') captured[name] = programPath(value);
  }
  captured['TERM'] = 'dumb';
  return captured;
}

/** `http://user:password@proxy` is a secret. */
function carriesPassword(proxy: string): boolean {
  return proxy.includes('@');
}
