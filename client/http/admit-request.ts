/**
 * Which requests are answered at all, before anything else is looked at: those that a page of this very server makes, and a person's own programs. Pure.
 * The Host is what stops a web page that has its own name resolved to our address (DNS rebinding); the other two stop pages of other origins.
 */

export interface AskedRequest {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  /** Names and values in turn, as they were sent: joined headers hide that there were two. */
  readonly rawHeaders: readonly string[];
}

export interface OwnNames {
  /** `127.5.6.7:19233`: where the server listens. */
  readonly address: string;
  /** Names, with or without a port, by which a tunnel of the person's reaches it. */
  readonly hosts: readonly string[];
}

export interface Unanswered {
  readonly status: 400 | 403 | 415;
  readonly why: string;
}

/** Null: it is answered. `isShell`: what it asks for holds no data. */
export function refuseRequest(asked: AskedRequest, names: OwnNames, isShell: boolean): Unanswered | null {
  const hosts = valuesOf(asked, 'host');
  const [host] = hosts;
  if (host === undefined || hosts.length > 1) return { status: 400, why: 'a request names exactly one host' };
  if (!asked.target.startsWith('/')) return { status: 400, why: 'a request names a path' };
  const isOwn = host.toLowerCase() === names.address;
  if (!isOwn && !names.hosts.includes(host.toLowerCase()))
    return {
      status: 403,
      why: 'this server is not called so; a name of a tunnel goes into web.hosts of your own config',
    };
  const origins = valuesOf(asked, 'origin');
  if (origins.some((origin) => !isOriginOf(origin, host, isOwn)))
    return { status: 403, why: 'a page of another origin asks' };
  if (!isSameSite(asked, isShell)) return { status: 403, why: 'a page of another site asks' };
  if (valuesOf(asked, 'content-encoding').length > 0) return { status: 415, why: 'a body is sent as it is' };
  return null;
}

function isOriginOf(origin: string, host: string, isOwn: boolean): boolean {
  const own = `http://${host}`.toLowerCase();
  return origin.toLowerCase() === own || (!isOwn && origin.toLowerCase() === `https://${host}`.toLowerCase());
}

const SAME = ['same-origin', 'none'];

/** A link in a chat and each reload after it say cross-site, so that the page itself may be gone to from anywhere. Old browsers and programs say nothing. */
function isSameSite(asked: AskedRequest, isShell: boolean): boolean {
  const sites = valuesOf(asked, 'sec-fetch-site');
  if (sites.every((site) => SAME.includes(site))) return true;
  const isVisit =
    valuesOf(asked, 'sec-fetch-mode').join() === 'navigate' && valuesOf(asked, 'sec-fetch-dest').join() === 'document';
  return isShell && isVisit && asked.method === 'GET';
}

function valuesOf({ rawHeaders }: AskedRequest, name: string): readonly string[] {
  const values: string[] = [];
  for (let place = 0; place + 1 < rawHeaders.length; place += 2)
    if (rawHeaders[place]?.toLowerCase() === name) values.push(rawHeaders[place + 1] ?? '');
  return values;
}
