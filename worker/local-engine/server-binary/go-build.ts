/**
 * Builds the pinned server from tools/temporal with the Go on PATH, offline if the module cache has it all.
 * The result appears under its final name only when it is whole; the caller holds the lock, so two do not build.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../config/system/entries.js';
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

function runGo(build: GoBuild, output: string, log: number): Promise<number | string> {
  return new Promise((resolve) => {
    const child = spawn(build.go ?? 'go', ['build', '-trimpath', '-ldflags=-s -w', '-o', output, PACKAGE], {
      cwd: join(PACKAGE_ROOT, 'tools', 'temporal'),
      stdio: ['ignore', log, log],
      env: { ...build.environment, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' },
    });
    child.once('error', () => resolve('no-go'));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
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
