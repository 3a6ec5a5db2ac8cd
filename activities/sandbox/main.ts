/**
 * The outer program of a sandbox: `main.js <folder>`, started by the guard in the place of an agent or command. It reads the spec in that folder, opens the proxy, starts
 * bubblewrap and ends as the program inside ended, once nothing inside lives any more. As a part of the command's own group it has the guard's tag, limits and end,
 * and no worker need live for it. It asks the spec for everything: the environment that it got is the program's.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, constants as fs, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, release } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeForeignDescriptors } from '../../config/system/foreign-descriptors.js';
import { bwrapArguments } from './bwrap-arguments.js';
import { createConnectProxy } from './connect-proxy.js';
import { PROXY_SOCKET, REFUSED_FILE, type SandboxSpec, SPEC_FILE } from './sandbox-spec.js';

/** As a shell says that it could not start something for reasons of its own. */
const NO_SANDBOX = 125;
const SIGNAL_BASE = 128;

/** The kernel ends what is left inside as soon as bubblewrap is gone. */
const LAST_MS = 10_000;

/**
 * Bubblewrap ends on TERM, and its sandbox with it; the program inside would have no time to end by itself. A signal that is ignored stays so in what is
 * started; inside.ts, being node, takes the default again for its program.
 */
const DEAF = 'trap "" TERM INT HUP QUIT; exec "$@"';

// Its guard closed them too, at its own start, but may be of an older version. Whatever bubblewrap holds, the program inside finds below /proc/1.
closeForeignDescriptors();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});

main(resolve(process.argv[2] ?? '.')).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(
      `sluice: the sandbox cannot be made: ${error instanceof Error ? error.message : String(error)}. Nothing was started.\n`,
    );
    process.exit(NO_SANDBOX);
  },
);

async function main(folder: string): Promise<number> {
  // Written by the worker; nothing inside a sandbox sees this folder.
  const spec = JSON.parse(readFileSync(join(folder, SPEC_FILE), 'utf8')) as SandboxSpec;
  const socket = spec.network === 'proxy' ? await openProxy(folder, spec) : null;
  const ended = await run(spec, socket);
  if (socket !== null) rmSync(socket, { force: true });
  return ended;
}

/** The path of a socket may be no longer than 107 bytes, that of the folder is: it listens by a relative name. */
async function openProxy(folder: string, { allow, known }: SandboxSpec): Promise<string> {
  const refused = join(folder, REFUSED_FILE);
  const socket = join(folder, PROXY_SOCKET);
  rmSync(socket, { force: true });
  writeFileSync(refused, '', { mode: 0o600 });
  const proxy = createConnectProxy({
    hosts: { own: allow, known },
    onRefused: (host) => {
      try {
        appendFileSync(refused, `${JSON.stringify(host)}\n`);
      } catch {
        // What a full disk does not take is not told; the host stays refused.
      }
    },
  });
  process.chdir(folder);
  await new Promise<void>((listening, failed) => {
    proxy.once('error', failed);
    proxy.listen(PROXY_SOCKET, () => listening());
  });
  return socket;
}

async function run(spec: SandboxSpec, socket: string | null): Promise<number> {
  const from = [...new Set(spec.mounts.flatMap((mount) => (mount.kind === 'copy' ? [mount.from] : [])))];
  const opened = from.map((path) => openSync(path, fs.O_RDONLY | fs.O_NOFOLLOW | fs.O_NONBLOCK));
  // 0 to 2 are the program's own, 3 is where bubblewrap tells of itself.
  const info = 3;
  const copies = new Map(from.map((path, index) => [path, info + 1 + index]));
  const args = [...bwrapArguments(spec, { copies, info, socket, kernel: release() })];
  const child = spawn('/bin/sh', ['-c', DEAF, 'sh', spec.bwrap, ...args], {
    cwd: '/',
    stdio: ['inherit', 'inherit', 'inherit', 'pipe', ...opened],
  });
  for (const descriptor of opened) closeSync(descriptor);
  let said = '';
  const pipe = child.stdio[3];
  if (pipe !== null && pipe !== undefined && 'setEncoding' in pipe) {
    pipe.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  }
  const code = await new Promise<number>((resolveEnd, failed) => {
    child.once('error', failed);
    child.once('exit', (status, signal) =>
      resolveEnd(status ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  await untilGone(Number(/"child-pid": *(\d+)/.exec(said)?.[1] ?? 0));
  return code;
}

/** The first process inside ends last. A pid that another process has by now has another start. */
async function untilGone(pid: number): Promise<void> {
  if (pid === 0) return;
  const until = performance.now() + LAST_MS;
  for (let start = startOf(pid); start !== null && startOf(pid) === start && performance.now() < until; )
    await sleep(2);
}

/** Null: gone, or a zombie. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
