/** Where a forge answers and where its git is: github.com, a tenant of ghe.com, or a GitHub Enterprise server; over https, or never off this machine. */
import { webhookAddress } from './webhook-address.js';

export interface ForgeAddress {
  /** As octokit takes it, without a slash at its end. */
  readonly apiUrl: string;
  /** `https://github.com`. */
  readonly gitOrigin: string;
  /** As `gh` names it, with the port where it is not that of the protocol. */
  readonly host: string;
}

const SERVER_PATH = '/api/v3';

/** Null where the address is none of these. */
export function forgeAddress(text: string): ForgeAddress | null {
  const url = webhookAddress(text);
  if (url === null || url.search !== '' || url.hash !== '') return null;
  const path = url.pathname.replace(/\/$/, '');
  const host = path === '' && url.host.startsWith('api.') ? url.host.slice('api.'.length) : url.host;
  if (path !== SERVER_PATH && (path !== '' || host === url.host)) return null;
  return { apiUrl: `${url.origin}${path}`, gitOrigin: `${url.protocol}//${host}`, host };
}

/** An owner that a company manages ends with `_` and a short name of it. Source: docs.github.com, "Enterprise Managed Users". */
const REPOSITORY = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})\/[A-Za-z0-9._-]{1,100}$/;

/** `owner/name`, as a part of an address. */
export function isForgeRepository(text: string): boolean {
  return REPOSITORY.test(text) && !/\/(?:\.{1,2}$|.*\.git$)/i.test(text);
}
