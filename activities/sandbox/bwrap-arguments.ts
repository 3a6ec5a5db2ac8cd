/** From what a command needs to the arguments of bubblewrap. Pure: nothing is looked up, so that the same needs are the same sandbox. */
import { parseNetworkHost } from '../../config/agents/network-host.js';
import { NO_NETWORK, SANDBOX_SHELL } from '../../config/system/sandbox-program.js';
import { INSIDE_FOLDER, type Mount, PROXY_SOCKET, type SandboxSpec } from './sandbox-spec.js';

const INSIDE_PROGRAM = `${INSIDE_FOLDER}/inside.mjs`;

const INSIDE_SOCKET = `${INSIDE_FOLDER}/${PROXY_SOCKET}`;

/**
 * The kernel lets whoever is root outside write these without any right: a user namespace does not change who that is. Source: fs/proc/proc_sysctl.c, test_perm.
 * Nobody else gets them covered: with a part of /proc covered no namespace inside can have a /proc of its own, which sandboxes of the agents themselves need.
 */
const KERNEL_SETTINGS = ['sys', 'sysrq-trigger', 'irq', 'bus', 'acpi', 'scsi', 'fs', 'driver', 'mtrr'] as const;

/**
 * Processes and threads at a time, so that a fork bomb takes not all that the machine has. No namespace inside gets more; root outside is not held by it.
 * A lower limit of the person's stays, the soft and the hard one each for itself; of the two letters a shell knows one.
 */
const MAX_TASKS = 4096;
const LOWERED = `n=$(ulimit $kind $of); { [ "$n" = unlimited ] || [ "$n" -gt ${MAX_TASKS} ]; } && ulimit $kind $of ${MAX_TASKS}`;
const LIMITED = `for of in -u -p; do ulimit $of >/dev/null 2>&1 || continue; for kind in -S -H; do ${LOWERED}; done 2>/dev/null; break; done; exec "$@"`;

export interface OpenFiles {
  /** The descriptor of each `copy`, by its path on the host. */
  readonly copies: ReadonlyMap<string, number>;
  /** Where bubblewrap tells the pid of the first process inside. */
  readonly info: number;
  /** Of the proxy, on the host; null without one. */
  readonly socket: string | null;
  /** Of the kernel: since 5.14 it counts processes by user namespace. Before, the person's own would count. */
  readonly kernel: string;
}

/** Without the program's own name. Errors: plain Error if a copy is not open, a programmer's mistake. */
export function bwrapArguments(spec: SandboxSpec, files: OpenFiles): readonly string[] {
  const { socket } = files;
  const own: readonly Mount[] = [
    { kind: 'read', from: spec.inside, to: INSIDE_PROGRAM },
    ...(socket === null ? [] : [{ kind: 'read', from: socket, to: INSIDE_SOCKET } as const]),
  ];
  return [
    ...SANDBOX_SHELL,
    ...(spec.network === 'on' ? [] : [NO_NETWORK]),
    '--info-fd',
    String(files.info),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...(spec.asRoot ? KERNEL_SETTINGS : []).flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...[...spec.mounts, ...own].flatMap((mount) => mountArguments(mount, files)),
    // Its temp folder may be a place that is not there.
    '--unsetenv',
    'TMPDIR',
    '--remount-ro',
    '/',
    '--chdir',
    spec.cwd,
    '--',
    ...(countsByNamespace(files.kernel) ? ['/bin/sh', '-c', LIMITED, 'sh'] : []),
    spec.node,
    INSIDE_PROGRAM,
    insideOptions(spec, socket === null ? null : INSIDE_SOCKET),
    '--',
    ...spec.program,
  ];
}

function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}

/** As inside.ts reads them. */
function insideOptions({ allow }: SandboxSpec, socket: string | null): string {
  const hosts = allow.map(parseNetworkHost).filter((host) => host !== null);
  const own = hosts.filter(({ kind, name }) => kind === 'address' && (name.startsWith('127.') || name === '::1'));
  return JSON.stringify({
    socket,
    loopback: socket === null ? [] : own.map(({ name, port }) => ({ address: name, port })),
  });
}

function mountArguments(mount: Mount, { copies }: OpenFiles): readonly string[] {
  switch (mount.kind) {
    case 'read':
      // What was there a moment ago may be gone; the sandbox is then the poorer by it, not impossible.
      return ['--ro-bind-try', mount.from, mount.to];
    case 'write':
      return ['--bind', mount.from, mount.to];
    case 'link':
      return ['--symlink', mount.target, mount.to];
    case 'empty':
      return ['--tmpfs', mount.to];
    case 'folder':
      return ['--dir', mount.to];
    case 'copy': {
      const descriptor = copies.get(mount.from);
      if (descriptor === undefined) throw new Error(`${mount.from} is not open`);
      return ['--file', String(descriptor), mount.to];
    }
  }
}
