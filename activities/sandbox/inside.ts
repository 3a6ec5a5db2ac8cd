/**
 * The first program inside a sandbox: `inside.mjs <options> -- <program> [arguments]`. It gives the program a proxy on 127.0.0.1 that leads to the socket of the
 * outer one, starts it, and ends as it ended. It is shown in the sandbox as this one file, so it imports nothing but node's own modules.
 * It ends on no signal that asks: the guard sends those to the program itself, whose end is the end.
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { constants } from 'node:os';

interface InsideOptions {
  /** Of the proxy; null: nothing can be reached. */
  readonly socket: string | null;
  /** Addresses of the host's loopback that the proxy lets through: they are reached at the same place inside. */
  readonly loopback: readonly { readonly address: string; readonly port: number }[];
}

const MISSING = 127;
const NOT_EXECUTABLE = 126;
const SIGNAL_BASE = 128;

const MAX_HEADER_BYTES = 16 * 1024;

/** Whoever has said all that it had to say still reads the answer. */
const HALF_OPEN = { allowHalfOpen: true } as const;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});

const [, , text = '{}', , program = '', ...args] = process.argv;
// Written by bwrap-arguments.ts of the same version.
const options = JSON.parse(text) as InsideOptions;
const proxy = options.socket === null ? null : await openProxy(options.socket, options);
start({ ...process.env, ...(proxy === null ? {} : proxyVariables(proxy)) });

async function openProxy(socket: string, { loopback }: InsideOptions): Promise<string> {
  const server = createServer(HALF_OPEN, (client) => join(client, connect({ path: socket, ...HALF_OPEN })));
  await listen(server, '127.0.0.1', 0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  for (const { address: own, port: at } of loopback) {
    const forward = createServer(HALF_OPEN, (client) =>
      tunnel(client, { socket, authority: `${own.includes(':') ? `[${own}]` : own}:${at}` }),
    );
    // A port that another one has already is not worth the end of the program.
    await listen(forward, own, at).catch((error: unknown) =>
      process.stderr.write(`sluice: ${own}:${at} is not forwarded: ${String(error)}\n`),
    );
  }
  return `http://127.0.0.1:${port}`;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

/** For what speaks to an address as if it were its own machine's. */
function tunnel(client: Socket, { socket, authority }: { readonly socket: string; readonly authority: string }): void {
  const server = connect({ path: socket, ...HALF_OPEN });
  endTogether(client, server);
  server.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  let answer = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0 && answer.length < MAX_HEADER_BYTES) return;
    server.off('data', read);
    if (!answer.subarray(0, 20).toString('latin1').startsWith('HTTP/1.1 200 ')) {
      server.destroy();
      client.destroy();
      return;
    }
    const rest = answer.subarray(end + 4);
    if (rest.length > 0) client.write(rest);
    client.pipe(server);
    server.pipe(client);
  };
  server.on('data', read);
}

function join(client: Socket, server: Socket): void {
  endTogether(client, server);
  client.pipe(server);
  server.pipe(client);
}

function endTogether(client: Socket, server: Socket): void {
  // Its close follows.
  for (const socket of [client, server]) socket.on('error', () => {});
  endAfter(client, server);
  endAfter(server, client);
}

/** What came before an end in order is handed on to the last byte, however slowly it is read; what was cut off is cut off there too. */
function endAfter(from: Socket, to: Socket): void {
  from.once('close', () => {
    if (!from.readableEnded) to.destroy();
    // Nobody is left for what it would still say.
    else if (!to.readableEnded) to.end(() => to.destroy());
  });
}

/** What is on this machine's own loopback, servers of a test for instance, is inside and needs no proxy. */
function proxyVariables(url: string): Record<string, string> {
  const none = '127.0.0.1,localhost,::1,[::1]';
  const upper = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: none };
  const lower = Object.fromEntries(Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...upper, ...lower };
}

function start(env: NodeJS.ProcessEnv): void {
  const child = spawn(program, args, { env, stdio: 'inherit' });
  child.once('error', (error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT';
    process.stderr.write(
      `sluice: ${program} cannot be started inside the sandbox: ${missing ? 'it is not there' : error.message}\n`,
    );
    process.exit(missing ? MISSING : NOT_EXECUTABLE);
  });
  child.once('exit', (code, signal) =>
    process.exit(code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])),
  );
}
