/**
 * Finds the server binary, first that works: SLUICE_TEMPORAL_CLI, `temporal` on PATH, the cache, the SDK's download, a Go build.
 * What a person named by SLUICE_TEMPORAL_CLI is used or refused, never passed over; the rest is tried in order.
 */
import { renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { programPath } from '../../../config/system/program-path.js';
import { resolveProgram } from '../../../config/system/resolve-program.js';
import { systemTroubleIn } from '../../../config/system/system-trouble.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { type KernelLock, tryLock, waitForLock } from '../state/kernel-lock.js';
import { cachedBinary, isPrivateCache, makeCacheFolder } from './cache.js';
import { type Download, downloadServer } from './download.js';
import { BUILD_MINUTES, buildServer } from './go-build.js';
import { type BinaryVersion, PINNED_CLI_VERSION, readVersion, SERVER_SERIES } from './version.js';

export interface ServerBinary {
  readonly path: string;
  readonly source: 'environment' | 'path' | 'cache' | 'download' | 'build';
  readonly serverVersion: string;
}

export interface FindServerBinary {
  readonly environment?: NodeJS.ProcessEnv;
  readonly onProgress?: (text: string) => void;
  /** Asked before a build; without it the build starts unasked. */
  readonly confirmBuild?: (minutes: number) => Promise<boolean>;
  readonly download?: Pick<Download, 'command' | 'limitMs'>;
  readonly go?: string;
}

/** Errors: RefusedError. Effects: may fill the cache. */
export async function findServerBinary(options: FindServerBinary = {}): Promise<ServerBinary> {
  const environment = options.environment ?? process.env;
  const say = options.onProgress ?? (() => undefined);
  const named = environment['SLUICE_TEMPORAL_CLI'];
  if (named !== undefined && named !== '') return fromEnvironment(named);
  return (
    (await fromPath(environment, say)) ?? (await fromCache(environment)) ?? (await makeOne(options, environment, say))
  );
}

async function fromEnvironment(named: string): Promise<ServerBinary> {
  const path = resolve(named);
  const version = await readVersion(path);
  if (version.kind === 'right') return { path, source: 'environment', serverVersion: version.serverVersion };
  const trouble = systemTroubleIn(whyNot(version), null);
  throw new RefusedError({
    what: `SLUICE_TEMPORAL_CLI=${named} cannot be used: ${whyNot(version)}.`,
    why:
      trouble?.why ??
      `It must be Temporal's command line program with server ${SERVER_SERIES}.x (CLI ${PINNED_CLI_VERSION}).`,
    now: 'Nothing was started.',
    mend: trouble?.mend ?? 'Name another, or let sluice find one: unset SLUICE_TEMPORAL_CLI',
  });
}

async function fromPath(environment: NodeJS.ProcessEnv, say: (text: string) => void): Promise<ServerBinary | null> {
  const program = resolveProgram('temporal', { path: programPath(environment['PATH'] ?? ''), forbidden: [] });
  if (program.kind !== 'found') return null;
  const { path } = program;
  const version = await readVersion(path);
  if (version.kind === 'right') return { path, source: 'path', serverVersion: version.serverVersion };
  say(`${path} is passed over: ${whyNot(version)}`);
  return null;
}

async function fromCache(environment: NodeJS.ProcessEnv): Promise<ServerBinary | null> {
  const path = cachedBinary(environment);
  if (!isPrivateCache(environment)) throw notPrivate(path);
  const version = await readVersion(path);
  return version.kind === 'right' ? { path, source: 'cache', serverVersion: version.serverVersion } : null;
}

async function makeOne(
  options: FindServerBinary,
  environment: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<ServerBinary> {
  const folder = makeCacheFolder(environment);
  const lock = await lockCache(folder, say);
  try {
    // Another process may have made it while this one waited for the lock.
    const made = await fromCache(environment);
    if (made !== null) return made;
    const target = cachedBinary(environment);
    if (environment['SLUICE_TEMPORAL_DOWNLOAD'] !== 'off') {
      say(`downloading the Temporal server ${PINNED_CLI_VERSION} (10 s at most)`);
      if (await downloadServer({ folder, target, ...options.download })) return await checked(target, 'download');
      say('the download did not work');
    }
    if (options.confirmBuild !== undefined && !(await options.confirmBuild(BUILD_MINUTES)))
      throw new RefusedError(declined());
    const log = join(folder, 'build.log');
    say(
      `building the Temporal server ${PINNED_CLI_VERSION} with Go, about ${BUILD_MINUTES} minutes, once (log: ${log})`,
    );
    await buildServer({ target, log, environment, ...(options.go === undefined ? {} : { go: options.go }) });
    return await checked(target, 'build');
  } finally {
    lock.release();
  }
}

async function lockCache(folder: string, say: (text: string) => void): Promise<KernelLock> {
  const file = join(folder, 'server.lock');
  const lock = await tryLock(file);
  if (lock !== null) return lock;
  say('another sluice gets the Temporal server, or asks whether to build it; waiting for it');
  return waitForLock(file);
}

/** A binary that answers wrongly is moved away, so that the next try does not trust it. */
async function checked(path: string, source: 'download' | 'build'): Promise<ServerBinary> {
  const version = await readVersion(path);
  if (version.kind === 'right') return { path, source, serverVersion: version.serverVersion };
  renameSync(path, `${path}.refused`);
  throw new RefusedError({
    what: `The ${source} gave a Temporal server that cannot be used: ${whyNot(version)}.`,
    why: `sluice needs server ${SERVER_SERIES}.x.`,
    now: `Nothing was started; it lies at ${path}.refused.`,
    mend: 'Name one that you have: export SLUICE_TEMPORAL_CLI=<path of temporal>',
  });
}

function notPrivate(path: string): RefusedError {
  return new RefusedError({
    what: `The cached server ${path} is not used: it, or a folder above it, belongs to another user or can be written by others.`,
    why: 'What lies in the cache is run; only you may put it there.',
    now: 'Nothing was started.',
    mend: `Look at it, then: chmod -R go-w '${dirname(dirname(path))}'    or remove that folder; it is made anew`,
  });
}

function whyNot(version: Exclude<BinaryVersion, { kind: 'right' }>): string {
  switch (version.kind) {
    case 'missing':
      return 'there is no such file';
    case 'wrong':
      return `it carries server ${version.serverVersion}, not ${SERVER_SERIES}.x`;
    case 'unusable':
      return version.reason;
    default:
      return version satisfies never;
  }
}

function declined() {
  return {
    what: 'No Temporal server binary was found, and building one was declined.',
    why: 'The local engine is a Temporal server and a worker.',
    now: 'Nothing was started.',
    mend: 'Install temporal, name one by SLUICE_TEMPORAL_CLI, or use a server that runs: export TEMPORAL_ADDRESS=<host:port>',
  };
}
