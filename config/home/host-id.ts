/** The name of this host, made once in the sluice home: task queues and repository keys are built from it. */
import { randomBytes } from 'node:crypto';
import { shellWord } from '../../protocol/text/shell-word.js';
import { ConfigError, problem } from '../system/config-error.js';
import { homePaths } from './home.js';
import { createPrivateFile, readTextFile } from './private-file.js';

const HOST_ID = /^[a-z0-9]{6,40}$/;

/** **Errors** ConfigError where the file holds something else. **Idempotency** of two processes at once both answer the first one's. */
export function readOrMakeHostId(root: string): string {
  const path = homePaths(root).hostId;
  const existing = readTextFile(path);
  if (existing === null) createPrivateFile(path, `${randomBytes(6).toString('hex')}\n`);
  const hostId = (existing ?? readTextFile(path) ?? '').trim();
  if (HOST_ID.test(hostId)) return hostId;
  const found = 'the file does not hold a host id';
  const mend = `Put the old name back, or let sluice make a new one (runs of the old name wait for ever):  rm ${shellWord(path)}`;
  throw new ConfigError([
    problem('BadConfig', path, { key: 'host-id', found, rule: 'must be 6 to 40 small letters and digits', mend }),
  ]);
}
