/** The built command line beside a test host: the server and the sluice home are the host's, no local engine is started. */
import { execFile } from 'node:child_process';
import { CLI, type CliResult } from './cli-world.js';
import type { TestHost } from './test-host.js';

/** `env` is added to the host's; its TEMPORAL_ADDRESS names the test's server. */
export function sluiceBeside(
  host: TestHost,
  args: readonly string[],
  { cwd = host.folder, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CliResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { cwd, env: { ...host.env, ...env } }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : null;
      resolve({ code: error === null ? 0 : code, stdout, stderr });
    });
  });
}
