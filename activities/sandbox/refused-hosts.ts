/** What the proxy of a turn or command refused, as observations. The names are what somebody inside asked for: untrusted, and cut to a list that people can read. */
import { join } from 'node:path';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import type { Observation } from '../../protocol/messages/journal.js';
import { parseRecord } from '../../protocol/text/json.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';
import type { RefusedHost } from './connect-proxy.js';
import { REFUSED_FILE } from './sandbox-spec.js';

const MAX_BYTES = 100_000;

const MAX_TOLD = 20;

/** **Shape** one observation at most. `folders`: of the turn, or of each command. */
export function refusedHosts(
  folders: readonly string[],
  about: { readonly what: string; readonly seq: number },
): readonly Observation[] {
  const all = folders.flatMap(read);
  const hosts = [...new Map(all.map((one) => [one.host, one])).values()];
  if (hosts.length === 0) return [];
  const told = hosts.slice(0, MAX_TOLD).map(({ host, why }) => `${host} (${why})`);
  const more = hosts.length > MAX_TOLD ? ` and ${hosts.length - MAX_TOLD} more` : '';
  return [
    {
      timestamp: new Date().toISOString(),
      type: 'network.refused',
      message: `${about.what} asked for ${told.join(', ')}${more}, which the sandbox does not let through; networkAllow lists what it does`,
      data: { seq: about.seq, hosts: hosts.slice(0, MAX_TOLD).map(({ host }) => host) },
    },
  ];
}

function read(folder: string): readonly RefusedHost[] {
  const text = textOf(readForeignFileSync(join(folder, REFUSED_FILE), { maxBytes: MAX_BYTES })) ?? '';
  return text.split('\n').flatMap((line) => {
    const value = parseRecord(line);
    if (value === null || typeof value['host'] !== 'string' || typeof value['why'] !== 'string') return [];
    return [{ host: printableLine(redact(value['host'])), why: value['why'] }];
  });
}
