/** Which server sluice is made for, and how a binary is asked what it is. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeOf, messageOf } from '../../../config/system/error-code.js';
import { cleanEnvironment } from '../children/server-command.js';

/** The one that tools/temporal/go.mod builds and the SDK downloads. */
export const PINNED_CLI_VERSION = 'v1.8.2';

/** Any patch of the server that the pinned CLI carries. */
export const SERVER_SERIES = '1.31';

/** A cold start of the 138 MB program from a slow disk. */
const ANSWER_LIMIT_MS = 20_000;

export type BinaryVersion =
  | { readonly kind: 'right'; readonly serverVersion: string }
  | { readonly kind: 'wrong'; readonly serverVersion: string }
  | { readonly kind: 'missing' }
  /** It is there and cannot be run, or is another program. */
  | { readonly kind: 'unusable'; readonly reason: string };

export async function readVersion(program: string): Promise<BinaryVersion> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], {
      env: cleanEnvironment(process.env),
      timeout: ANSWER_LIMIT_MS,
    });
    return parseVersion(stdout);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'missing' } : { kind: 'unusable', reason: messageOf(error) };
  }
}

/** Source: `temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)`, as CLI v1.8.2 prints it. */
export function parseVersion(text: string): BinaryVersion {
  const serverVersion = /\(Server (\d+\.\d+\.\d+[^,)]*)/.exec(text)?.[1];
  if (serverVersion === undefined) return { kind: 'unusable', reason: 'its --version names no Temporal server' };
  const right = serverVersion.startsWith(`${SERVER_SERIES}.`);
  return { kind: right ? 'right' : 'wrong', serverVersion };
}
