/**
 * Whether commands can be put into a sandbox on this machine: bubblewrap on PATH, and a try, for a container or a setting of the kernel may
 * forbid what the program needs. `sluice doctor` and the host ask the same way.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programPath } from './program-path.js';
import { resolveProgram } from './resolve-program.js';

/**
 * Namespaces of its own, no rights, and an end with whoever started it. The user namespace is needed as root too: without it root would keep rights
 * over the real machine.
 */
export const SANDBOX_SHELL: readonly string[] = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
];

export const NO_NETWORK = '--unshare-net';

export type SandboxReading =
  | { readonly kind: 'works'; readonly program: string; readonly version: string }
  /** `why` is a clause. */
  | { readonly kind: 'fails'; readonly why: string; readonly mend: string };

const TRY_MS = 10_000;

const MEND = 'install bubblewrap, for instance: apt-get install bubblewrap';

export interface SandboxPlaces {
  /** As in PATH. */
  readonly path: string;
  /** Absolute folders in which no program counts. */
  readonly forbidden: readonly string[];
}

/** Starts bubblewrap twice, for some milliseconds; changes nothing. */
export async function lookForSandbox({ path, forbidden }: SandboxPlaces): Promise<SandboxReading> {
  if (process.platform !== 'linux')
    return { kind: 'fails', why: `there is no sandbox for ${process.platform} yet`, mend: 'run it on Linux' };
  const found = resolveProgram('bwrap', { path: programPath(path), forbidden });
  if (found.kind !== 'found') return { kind: 'fails', why: 'bwrap (bubblewrap) is not on PATH', mend: MEND };
  const run = promisify(execFile);
  const options = { env: {}, timeout: TRY_MS, cwd: '/' } as const;
  try {
    const all = [
      ...SANDBOX_SHELL,
      NO_NETWORK,
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--',
      '/bin/sh',
      '-c',
      ':',
    ];
    const [{ stdout }] = await Promise.all([run(found.path, ['--version'], options), run(found.path, all, options)]);
    return { kind: 'works', program: found.path, version: /\d[\w.]*/.exec(stdout)?.[0] ?? 'unknown' };
  } catch (error) {
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
    const why = `${found.path} cannot make a sandbox here${said === '' ? '' : `: ${said.split('\n')[0]?.slice(0, 200) ?? ''}`}`;
    return {
      kind: 'fails',
      why,
      mend: 'allow this user to make user namespaces (a container or a sysctl may forbid it)',
    };
  }
}
