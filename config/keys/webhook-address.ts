/**
 * Where a webhook may go, the one rule of config files and of the worker that posts: over https, or never off this machine.
 * It looks at the address only; what a name of another host resolves to is not its business.
 */

/** Null where the address may not be told: it must be https, or http to this machine by a name that needs no look-up. */
export function webhookAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url : null;
}

/** **Shape** a host as `URL` writes it: lower case, IPv4 in four parts, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
