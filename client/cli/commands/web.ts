/**
 * `sluice web`: serves the page in the foreground until Ctrl+C. It prints an address with a code that signs one browser in; Enter prints a new one. It starts
 * no engine: with one that is down the page shows what the runs wrote.
 */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { addressWithCode, openWeb } from '../server/open-web.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface WebOptions {
  readonly port: string;
}

export async function web(context: Context, options: WebOptions): Promise<ExitCode> {
  const { io, json } = context;
  const by = personOf(context);
  const port = readPort(options.port);
  const newCode = io.interactive ? 'press Enter in the terminal of sluice web' : 'start sluice web again';
  await using server = await openWeb(context, { port, by, newCode });
  const show = () => {
    const url = addressWithCode(server);
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
