/**
 * `<home>/web.json`: where the page was served last, so that a tab which is open finds the next server. No secret stands in it. On Linux the address is one
 * of the loopback network that no web page knows.
 */
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { readTextFile } from '../../../config/home/private-file.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { parseRecord } from '../../../protocol/text/json.js';
import { uiHost } from '../../../worker/local-engine/children/ports.js';

/** The one of before, else a new one. */
export function webHost(home: string): string {
  const host = parseRecord(readTextFile(fileOf(home)))?.['host'];
  return typeof host === 'string' && isIPv4(host) && host.startsWith('127.') && isOfThisSystem(host) ? host : uiHost();
}

/** Of a home that came from another system the address may be none here. */
function isOfThisSystem(host: string): boolean {
  return process.platform === 'linux' || host === '127.0.0.1';
}

/** Effects: temp file and rename, 0600. */
export function keepWebHost(home: string, host: string): void {
  replaceFile(fileOf(home), `${JSON.stringify({ version: 1, host })}\n`);
}

function fileOf(home: string): string {
  return join(home, 'web.json');
}
