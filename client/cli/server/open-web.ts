/** The server of the page, as a command opens it: at the address of before, with the server that the command would ask. */
import { codeOf, messageOf } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { serveWeb, type WebServer } from '../../http/serve-web.js';
import { type Context, lookPlaceOf } from '../terminal/context.js';
import { foreign, type Io } from '../terminal/io.js';
import { connectToLook } from './connect.js';
import { hostSettings } from './up.js';
import { keepWebHost, webHost } from './web-address.js';

export interface OpenWeb {
  /** 0: any that is free. */
  readonly port: number;
  /** Who decides by the page. */
  readonly by: string;
  /** How a person gets another code than the one that they are told first. */
  readonly newCode: string;
}

/** **Unit** ms: the page shows files meanwhile. */
const CONNECT_WITHIN_MS = 5_000;

/** Errors: RefusedError. */
export async function openWeb(context: Context, { port, by, newCode }: OpenWeb): Promise<WebServer> {
  const { io, home } = context;
  const host = webHost(home);
  const { webHosts } = await hostSettings(io.env);
  // It looks every two seconds, and says on the page what there is to say.
  const quiet: Io = { ...io, err: () => {} };
  const served = {
    host,
    port,
    hosts: webHosts,
    by,
    newCode,
    place: lookPlaceOf({ io: quiet, home }),
    connect: () => connectToLook({ ...context, io: quiet }, CONNECT_WITHIN_MS),
  };
  const server = await serveWeb(served).catch((error: unknown) => {
    throw refusalOf(error, { host, port });
  });
  await keepHost(home, host).catch((error: unknown) =>
    io.err(`The next sluice web will be at another address: ${foreign(messageOf(error))}`),
  );
  return server;
}

/** For one browser, once, within a minute. */
export function addressWithCode({ address, session }: WebServer): string {
  return `http://${address}/#${session.newCode()}`;
}

function refusalOf(error: unknown, { host, port }: { readonly host: string; readonly port: number }): RefusedError {
  const what = `the page cannot be served at ${host}:${port}: ${foreign(messageOf(error))}`;
  const code = codeOf(error);
  const now = 'Nothing was started.';
  if (code === null)
    return new RefusedError({ what, why: 'it is served as the build made it', now, mend: 'npm run build' });
  const why =
    code === 'EADDRINUSE'
      ? 'another sluice web of this home, or some other program, listens there'
      : 'the system does not let a program of yours listen there';
  return new RefusedError({ what, why, now, mend: `sluice web --port ${port === MAX_PORT ? port - 1 : port + 1}` });
}

const MAX_PORT = 65_535;

/** The next server asks for it; without a file it draws another. */
async function keepHost(home: string, host: string): Promise<void> {
  const { ensureHome } = await import('../../../config/home/home.js');
  ensureHome(home);
  keepWebHost(home, host);
}
