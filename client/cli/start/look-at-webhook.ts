/** Whether a forge may ring here, and whether anybody listens: what `sluice doctor` says of `engine.webhook`. The secret itself is in the worker's environment alone. */
import { DOORBELL_NAME } from '../../../protocol/names.js';
import { hostSettings } from '../server/up.js';
import type { Io } from '../terminal/io.js';
import { type Finding, pass, warn } from './doctor-finding.js';

const LIMIT_MS = 2_000;

/** Errors: ConfigError where the user's file cannot be used. */
export async function lookAtWebhook({ io }: { readonly io: Pick<Io, 'env'> }): Promise<readonly Finding[]> {
  const check = 'web hook';
  const { webhook } = await hostSettings(io.env);
  if (webhook === null) return [pass(check, 'off: engine.webhook is not set; pull requests are looked at each minute')];
  const { port, secretEnv } = webhook;
  const url = `http://127.0.0.1:${port}/`;
  const name = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).then(
    ({ headers }) => headers.get('server') ?? '',
    () => null,
  );
  if (name === DOORBELL_NAME) return [pass(check, `listens at ${url}; its secret is the worker's ${secretEnv}`)];
  if (name !== null) return [warn(check, `another program answers at ${url}`, 'give engine.webhook another port')];
  const mend = `export ${secretEnv}=<the secret, of 16 characters or more>; sluice down; sluice up`;
  return [warn(check, `nobody listens at ${url}; pull requests are looked at each minute`, mend)];
}
