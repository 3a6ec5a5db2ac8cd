/**
 * What a command sees, from what it needs: the system and toolchains to read, its checkout and its own folders of HOME to write, and nothing else of
 * the person's. Pure. The order is the rule: what hides lies over what shows the system, and what the command needs lies over what hides.
 */
import { isBelow } from '../../config/system/paths.js';
import type { Mount } from './sandbox-spec.js';

export interface SandboxNeeds {
  /** The system as this host has it: folders to read and links such as /bin → usr/bin. */
  readonly system: readonly Mount[];
  /** The person's; null: there is none. */
  readonly home: string | null;
  /** Sluice home, sockets, the person's checkout: never seen, wherever they lie. */
  readonly hidden: readonly string[];
  /** Toolchains and programs, real places and the names by which they are found. */
  readonly readable: readonly Readable[];
  /** Below HOME, existing. */
  readonly homeWritable: readonly string[];
  /** Existing; what is made in them is gone at the end. What stands in them stands in `homeReadable`. */
  readonly homeScratch: readonly string[];
  /** Over `homeWritable`: what steers a CLI is not changed from inside. */
  readonly homeReadable: readonly Readable[];
  /** What the command starts; where it lies in a folder that can be written, it cannot. */
  readonly programs: readonly Readable[];
  readonly git: readonly Mount[];
  /** Targets of links of the checkout, such as node_modules. */
  readonly linked: readonly string[];
  /** Worktree or validation checkout. */
  readonly checkout: string;
  /** What of the checkout is not the command's to change. */
  readonly overCheckout: readonly Mount[];
}

export interface Readable {
  readonly from: string;
  readonly to: string;
}

/** Of /etc what programs look names, certificates and times up in; nothing that holds a secret, for root could read it. */
const ETC: readonly string[] = [
  'passwd',
  'group',
  'nsswitch.conf',
  'hosts',
  'host.conf',
  'resolv.conf',
  'gai.conf',
  'services',
  'protocols',
  'localtime',
  'timezone',
  'os-release',
  'debian_version',
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ssl/cert.pem',
  'ca-certificates',
  'ca-certificates.conf',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'pki/ca-trust/extracted',
  'crypto-policies',
  'mime.types',
  'magic',
  'fonts',
  'terminfo',
  'inputrc',
  'profile',
  'profile.d',
  'bash.bashrc',
  'bashrc',
  'java',
  'perl',
  'python3',
];

export function planMounts(needs: SandboxNeeds): readonly Mount[] {
  const shown: readonly Mount[] = [
    ...needs.system,
    ...ETC.map((name): Mount => read(`/etc/${name}`)),
    { kind: 'empty', to: '/tmp' },
    { kind: 'link', target: '/tmp', to: '/var/tmp' },
    { kind: 'folder', to: '/run' },
    ...(needs.home === null ? [] : [{ kind: 'empty', to: needs.home } as const]),
    ...outermost(needs.readable).map(readAt),
  ];
  return [
    ...shown,
    ...needs.hidden.filter((path) => isShown(path, shown)).map((to): Mount => ({ kind: 'empty', to })),
    ...uppermost(needs.homeWritable).map((path): Mount => ({ kind: 'write', from: path, to: path })),
    ...needs.homeScratch.map((to): Mount => ({ kind: 'empty', to })),
    ...needs.homeReadable.map(readAt),
    ...outermost(needs.programs)
      .filter(({ to }) => needs.homeWritable.some((folder) => isBelow(to, folder)))
      .map(readAt),
    ...needs.git,
    ...needs.linked.map(read),
    { kind: 'write', from: needs.checkout, to: needs.checkout },
    ...needs.overCheckout,
  ];
}

/** What lies in a folder that is shown is there already; a link in it cannot be mounted on. */
function outermost(readable: readonly Readable[]): readonly Readable[] {
  const kept: Readable[] = [];
  for (const one of [...readable].sort((a, b) => a.to.length - b.to.length)) {
    if (!kept.some(({ to }) => isBelow(one.to, to))) kept.push(one);
  }
  return kept;
}

/** A file that is a mount of its own cannot be renamed over, as CLIs do with their settings. */
function uppermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isBelow(path, other)));
}

function isShown(path: string, mounts: readonly Mount[]): boolean {
  return mounts.some((mount) => mount.kind === 'read' && isBelow(path, mount.to));
}

function read(path: string): Mount {
  return readAt({ from: path, to: path });
}

function readAt({ from, to }: Readable): Mount {
  return { kind: 'read', from, to };
}
