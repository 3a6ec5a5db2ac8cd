/**
 * `sluice web`: serves the page in the foreground until Ctrl+C. It prints an address with a code that signs one browser in; Enter prints a new one. It starts
 * no engine: with one that is down the page shows what the runs wrote.
 */
import { codeOf, messageOf } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { serveWeb, type WebServer } from '../../http/serve-web.js';
import { connectToLook } from '../server/connect.js';
import { hostSettings } from '../server/up.js';
import { keepWebHost, webHost } from '../server/web-address.js';
import { type Context, lookPlaceOf } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface WebOptions {
  readonly port: string;
}

/** **Unit** ms: the page shows files meanwhile. */
const CONNECT_WITHIN_MS = 5_000;

export async function web(context: Context, options: WebOptions): Promise<ExitCode> {
  const { io, home, json } = context;
  const by = personOf(context);
  const port = readPort(options.port);
  const host = webHost(home);
  const { webHosts } = await hostSettings(io.env);
  const quiet: Io = { ...io, err: () => {} };
  await using server = await serving(
    () =>
      serveWeb({
        ...{ host, port, hosts: webHosts, by },
        connect: () => connectToLook({ ...context, io: quiet }, CONNECT_WITHIN_MS),
        place: lookPlaceOf({ io: quiet, home }),
      }),
    { host, port },
  );
  await keepHost(home, host).catch((error: unknown) =>
    io.err(`The next sluice web will be at another address: ${foreign(messageOf(error))}`),
  );
  const show = () => {
    const url = `http://${server.address}/#${server.session.newCode()}`;
    if (json) io.json({ kind: 'web', address: server.address, url });
    else io.out(url);
  };
  show();
  if (!json) io.err(io.interactive ? INTERACTIVE : QUIET);
  const endKeys = io.interactive ? io.onKey(({ kind }) => (kind === 'enter' ? show() : undefined)) : () => {};
  await stopped(io.stop);
  endKeys();
  return EXIT.detached;
}

const INTERACTIVE =
  'Open this address in your browser, within a minute; its code works once. Enter: another code. Ctrl+C: end.';
const QUIET = 'The address works once, within a minute. Ctrl+C ends the server; runs go on.';

function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Errors: RefusedError. */
async function serving(
  serve: () => Promise<WebServer>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<WebServer> {
  try {
    return await serve();
  } catch (error) {
    const isTaken = codeOf(error) === 'EADDRINUSE';
    throw new RefusedError({
      what: isTaken ? `${host}:${port} is taken` : `the page cannot be served at ${host}:${port}: ${messageOf(error)}`,
      why: isTaken
        ? 'another sluice web of this home, or some other program, listens there'
        : 'it needs an address of this machine, and the page as the build made it',
      now: 'Nothing was started.',
      mend: isTaken ? `sluice web --port ${port + 1}` : 'npm run build',
    });
  }
}

/** The next server asks for it; without a file it draws another. */
async function keepHost(home: string, host: string): Promise<void> {
  const { ensureHome } = await import('../../../config/home/home.js');
  ensureHome(home);
  keepWebHost(home, host);
}

/** Errors: RefusedError. */
function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1024 && port < 65_536) return port;
  throw new RefusedError({
    what: `--port is ${foreign(text)}`,
    why: 'it must be a whole number from 1024 to 65535',
    now: 'Nothing was started.',
    mend: 'sluice web --port 8080',
  });
}
