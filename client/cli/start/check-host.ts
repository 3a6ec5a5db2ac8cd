/** The host that `--host`, or a line of a batch, names: a run sent to one that nobody knows would wait for ever. */
import { hostQueue } from '../../../protocol/names.js';
import type { Sluice } from '../../sluice.js';
import { readHostId } from '../server/host-config.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { refusal } from './run-arguments.js';

/** How many of the newest runs are asked which hosts there are. */
const MAX_RUNS = 1_000;

/** Errors: RefusedError for a host that neither works nor ever worked for this server. A known one that is away is told. */
export async function checkHost({ io, home }: Context, sluice: Sluice, named: string): Promise<void> {
  if (await works(sluice, named)) return;
  const own = await readHostId(home);
  const runs = await sluice.list(MAX_RUNS);
  const seen = [...new Set([own, ...runs.map(({ host }) => host)])].filter((host) => host !== null);
  if (seen.includes(named)) {
    io.err(foreign(`The host ${named} is away; the run waits for it.`));
    return;
  }
  const known = seen.slice(0, MAX_TOLD).map(foreign).join(', ');
  throw refusal(
    `the host is "${foreign(named).slice(0, 80)}", and none of that name has worked for this server`,
    known === '' ? 'no host is known here' : `known hosts: ${known}`,
    own === null ? 'sluice run "<task>"' : `sluice run "<task>" --host ${foreign(own)}`,
  );
}

const MAX_TOLD = 20;

async function works(sluice: Sluice, host: string): Promise<boolean> {
  return (await sluice.pollers(hostQueue(host))).activity > 0;
}
