/**
 * Builds the pinned server from tools/temporal with the Go on PATH, offline if the module cache has it all.
 * The result appears under its final name only when it is whole; the caller holds the lock, so two do not build.
 */
import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../config/system/entries.js';
import { signalGroup } from '../../../config/system/send-signal.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { readTail } from '../children/log-file.js';

export const BUILD_MINUTES = 5;

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';

export interface GoBuild {
  readonly target: string;
  readonly log: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The Go program; a name on PATH by default. */
  readonly go?: string;
}

/** Errors: RefusedError (no Go, or the build failed with its log's last lines). */
export async function buildServer(build: GoBuild): Promise<void> {
  const temporary = `${build.target}.${process.pid}.tmp`;
  const log = openSync(build.log, 'w', 0o600);
  try {
    const ended = await runGo(build, temporary, log);
    if (ended === 'no-go') throw new RefusedError(noGo());
    if (ended !== 0) throw new RefusedError(buildFailed(ended, build.log));
    renameSync(temporary, build.target);
  } finally {
    closeSync(log);
    rmSync(temporary, { force: true });
  }
}

/**
 * Leads a group that has the compilers in it too, and ends all of it with whoever holds the other end of its input: a builder that is killed closes it and can do
 * nothing else. `exec` keeps the program's own exit code; 127 is the shell's word for a program that is not there.
 */
const ENDS_WITH_BUILDER = 'exec 3<&0; (read -r _ <&3; kill -KILL -$$) >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';
const NOT_FOUND = 127;

/** A process that leads its group, and ends with this one however this one ends. `output`: a descriptor for what it prints. */
export function spawnBound(
  command: readonly string[],
  output: number | 'ignore',
  place: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): ChildProcess {
  const stdio: StdioOptions = ['pipe', output, output];
  return spawn('/bin/sh', ['-c', ENDS_WITH_BUILDER, 'sluice-bound', ...command], { ...place, stdio, detached: true });
}

function runGo(build: GoBuild, output: string, log: number): Promise<number | string> {
  const command = [build.go ?? 'go', 'build', '-trimpath', '-ldflags=-s -w', '-o', output, PACKAGE];
  return new Promise((resolve) => {
    const child = spawnBound(command, log, {
      cwd: join(PACKAGE_ROOT, 'tools', 'temporal'),
      env: { ...build.environment, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' },
    });
    child.once('error', () => resolve('no-go'));
    child.once('exit', (code, signal) => {
      signalGroup(child, 'SIGKILL');
      resolve(code === NOT_FOUND ? 'no-go' : (code ?? signal ?? 'unknown'));
    });
  });
}

function noGo() {
  return {
    what: 'No Temporal server binary was found, and there is no `go` on PATH to build one.',
    why: 'sluice needs SLUICE_TEMPORAL_CLI, or `temporal` on PATH, or a download, or Go 1.26.4 or newer (an older one from 1.21 on fetches it).',
    now: 'Nothing was started.',
    mend: 'Install Go (https://go.dev/dl), or: export SLUICE_TEMPORAL_CLI=<path of temporal>',
  };
}

function buildFailed(ended: number | string, log: string) {
  return {
    what: `The build of the Temporal server failed (go ended with ${ended}).`,
    why: `The last lines of ${log}:\n${readTail(log)}`,
    now: 'Nothing was started; the cache is as it was.',
    mend: 'Mend that and try again, or: export SLUICE_TEMPORAL_CLI=<path of temporal>',
  };
}
