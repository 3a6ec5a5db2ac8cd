/** What of this host a sandbox may show read-only: the system, toolchains, and the programs of the command itself. Looked up at each start. */
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { PACKAGE_ROOT } from '../../config/system/entries.js';
import { isBelow, touches } from '../../config/system/paths.js';
import { HOME_TOOLCHAINS } from './known-needs.js';
import type { Readable } from './plan-mounts.js';
import type { Mount } from './sandbox-spec.js';

/** `/nix` and `/gnu`: the system of NixOS and Guix. Not `/var`, `/run`, `/srv`, `/mnt`, `/home`, `/root`. */
const SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix',
  '/gnu',
];

const LINUXBREW = '/home/linuxbrew/.linuxbrew';

const MODULES = `${sep}node_modules${sep}`;

/** Ours: it says that our files are modules. */
const PACKAGE_FILE = join(PACKAGE_ROOT, 'package.json');

export interface HostViewInput {
  /** Programs and files, by absolute paths; what is none is passed over. */
  readonly named: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What must not be shown, and so no folder that holds it. */
  readonly hidden: readonly string[];
}

export function systemMounts(): readonly Mount[] {
  return SYSTEM.flatMap((path): Mount[] => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    if (stat.isSymbolicLink()) return [{ kind: 'link', target: readlinkSync(path), to: path }];
    return stat.isDirectory() ? [{ kind: 'read', from: path, to: path }] : [];
  });
}

/** Folders of PATH, node's own, toolchains below HOME, certificates that the environment names, the program and the files that its config names. */
export function readablePlaces({ named, env, hidden }: HostViewInput): readonly Readable[] {
  const home = env['HOME'];
  const guarded = home === undefined ? hidden : [...hidden, home];
  const show = (path: string): readonly Readable[] => {
    const from = realOf(path);
    // A folder above HOME would show HOME; one below it may be shown.
    const tooMuch = from === null || touches(from, hidden) || guarded.some((one) => isBelow(one, from));
    return tooMuch ? [] : both(path, from);
  };
  const inPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const toolchains =
    home === undefined ? [] : HOME_TOOLCHAINS.map((name) => join(home, name)).filter((path) => !isLink(path));
  const certificates = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => env[name] ?? []);
  const files = [...certificates, ...named, PACKAGE_FILE].filter((path) => isAbsolute(path) && isFile(path));
  return [
    ...[...[...inPath, dirname(process.execPath)].flatMap(withLibraries), LINUXBREW, ...toolchains, ...engineFolders()]
      .filter(isFolder)
      .flatMap(show),
    ...certificates.filter(isFolder).flatMap(show),
    ...files.flatMap((path) => [...show(path), ...packageOf(path).flatMap(show)]),
  ].filter(({ to }) => !SYSTEM.some((folder) => isBelow(to, folder)));
}

/** A program is found by its name and reads what lies beside its real place. */
function both(path: string, real: string): readonly Readable[] {
  const named = resolve(path);
  return named === real
    ? [{ from: real, to: real }]
    : [
        { from: real, to: named },
        { from: real, to: real },
      ];
}

/** What lies in `<prefix>/bin` is often a link into `<prefix>/lib`: global packages of npm and pip. Never `<prefix>/share`, where logins lie. */
function withLibraries(folder: string): readonly string[] {
  return basename(folder) === 'bin'
    ? [folder, join(dirname(folder), 'lib'), join(dirname(folder), 'libexec')]
    : [folder];
}

/** Our own programs run inside too: the scripted agent, and clients that speak for an agent. */
function engineFolders(): readonly string[] {
  return [join(PACKAGE_ROOT, 'dist'), join(PACKAGE_ROOT, 'node_modules')];
}

/** The whole `node_modules` of a program in one: its packages lie beside it. Of any other program only its own file is known. */
function packageOf(path: string): readonly string[] {
  const real = realOf(path) ?? path;
  const at = real.indexOf(MODULES);
  return at < 0 ? [] : [real.slice(0, at + MODULES.length - 1)];
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
