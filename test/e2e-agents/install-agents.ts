/**
 * Brings a package of an exact version from npm into a cache of its own, once, as `npm install --global` would lay it out.
 * It is installed beside its place and moved there whole, so that two at once do no harm and half an install is never used.
 * An ordinary user must be able to read it: root's own cache folder is closed, so root uses the machine's.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { NpmPackage } from './agent-clis.js';

export interface Installed {
  /** Absolute; holds `bin/` and `lib/node_modules/`. */
  readonly prefix: string;
  /** Absolute; the folder of the package itself. */
  readonly packageFolder: string;
}

/** Errors: plain Error for people, which names the command that mends it. Effects: fills the cache, from the npm registry. */
export function install(wanted: NpmPackage): Installed {
  const prefix = join(cacheFolder(), `${wanted.package.replace(/^@/, '').replace('/', '-')}-${wanted.version}`);
  if (!existsSync(prefix)) installBeside(prefix, wanted);
  const packageFolder = join(prefix, 'lib/node_modules', wanted.package);
  const found = versionIn(packageFolder);
  if (found === wanted.version) return { prefix, packageFolder };
  throw new Error(
    `${prefix} holds ${wanted.package} ${found ?? 'of no version'} instead of ${wanted.version}.\n` +
      `A cached CLI must be of exactly the version of its name.\nNothing was run.\nInstall it again:  rm -r ${prefix} && npm run e2e:agents`,
  );
}

/** SLUICE_AGENTS_CACHE names another. */
export function cacheFolder(): string {
  const named = process.env['SLUICE_AGENTS_CACHE'];
  if (named !== undefined && named !== '') return named;
  if (process.getuid?.() === 0) return '/var/cache/sluice/agents';
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice/agents');
}

function installBeside(prefix: string, wanted: NpmPackage): void {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const fresh = mkdtempSync(join(cache, '.new-'));
  try {
    chmodSync(fresh, 0o755);
    process.stderr.write(`installing ${wanted.package} ${wanted.version} into ${prefix}\n`);
    npmInstall(fresh, wanted);
    moveThere(fresh, prefix);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function npmInstall(prefix: string, wanted: NpmPackage): void {
  const name = `${wanted.package}@${wanted.version}`;
  const npm = ['npm', 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--loglevel=error', name];
  // A umask of 077 would close the files to the ordinary user.
  const { status, stderr, error } = spawnSync('sh', ['-c', 'umask 022; exec "$@"', 'sh', ...npm], { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(
    `${name} could not be installed: ${(error?.message ?? stderr).trim()}\n` +
      `The suite runs the real CLIs, from the npm registry.\nNothing of it was kept.\nTry it by hand:  ${npm.join(' ')}`,
  );
}

function moveThere(fresh: string, prefix: string): void {
  try {
    renameSync(fresh, prefix);
  } catch (error) {
    // Another was faster with the same version.
    if (!existsSync(prefix)) throw error;
  }
}

function versionIn(packageFolder: string): string | null {
  try {
    const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
      readonly version?: unknown;
    };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
