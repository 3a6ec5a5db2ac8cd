/**
 * Who is told (`notify`): programs that the host starts and addresses that it posts to. What is sent out goes over https, or
 * never leaves the machine. A webhook's address can be its secret, so no rule repeats one.
 */
import { z } from 'zod';
import type { NotifySink } from '../../protocol/run/policy.js';
import type { Json } from '../../protocol/text/json.js';
import { programLine } from './key-values.js';
import { webhookAddress } from './webhook-address.js';

const MAX_SINKS = 10;

const ENTRY_RULE = 'must be desktop, {command: [program, arguments]} or {webhook: address, secretEnv: NAME}';

const URL_RULE = 'must be an https address without user and password; http only to localhost, 127.0.0.0/8 or [::1]';

const SECRET_RULE =
  'must be the name of an environment variable: capital letters, digits and _, never the secret itself';

const webhookUrl = z.string({ error: URL_RULE }).transform((value, context): string => {
  const url = value.length <= 2000 ? webhookAddress(value) : null;
  // The form that the parser understood is kept, so that nobody later reads another host out of the same text.
  if (url !== null) return url.href;
  context.addIssue({ code: 'custom', message: URL_RULE });
  return z.NEVER;
});

/** Of the variable that has a secret. */
export const secretName = z.string({ error: SECRET_RULE }).regex(/^[A-Z_][A-Z0-9_]{0,127}$/, { error: SECRET_RULE });

const commandSink = z
  .strictObject({ command: programLine }, { error: ENTRY_RULE })
  .transform(({ command }): NotifySink => ({ kind: 'command', command }));

const webhookSink = z
  .strictObject({ webhook: webhookUrl, secretEnv: secretName.optional() }, { error: ENTRY_RULE })
  .transform(({ webhook, secretEnv }): NotifySink => ({ kind: 'webhook', url: webhook, secretEnv: secretEnv ?? null }));

/** **Source** V-134. */
export const notifySinks = z
  .array(z.unknown().transform(readSink), { error: 'must be a list of sinks, such as [desktop]' })
  .max(MAX_SINKS, { error: `must be a list of at most ${MAX_SINKS} sinks` })
  .readonly();

/** As a config file writes it; of a webhook only the host, since the rest of such an address is often its secret. */
export function shownSink(sink: NotifySink): Json {
  switch (sink.kind) {
    case 'desktop':
      return 'desktop';
    case 'command':
      return { command: sink.command };
    case 'webhook': {
      const { origin, href } = new URL(sink.url);
      const webhook = href === `${origin}/` ? origin : `${origin}/(not shown)`;
      return sink.secretEnv === null ? { webhook } : { webhook, secretEnv: sink.secretEnv };
    }
  }
}

/** People keep keys in addresses and in arguments, and write one where only its variable's name belongs. */
export function hidesSink(below: readonly PropertyKey[], wrong: unknown): boolean {
  if (wrong === undefined || wrong === null) return false;
  if (below.at(-1) === 'secretEnv' || below.at(-1) === 'webhook' || typeof wrong === 'object') return true;
  return typeof wrong === 'string' && !/^[\w.-]{1,40}$/.test(wrong);
}

/** Not a union: its one error would hide which field of which kind is wrong. */
function readSink(value: unknown, context: z.RefinementCtx): NotifySink {
  if (value === 'desktop') return { kind: 'desktop' };
  const kind = kindOf(value);
  const result = kind?.safeParse(value);
  if (result?.success === true) return result.data;
  const issues = result?.error.issues ?? [{ path: [], message: ENTRY_RULE }];
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
}

function kindOf(value: unknown): typeof commandSink | typeof webhookSink | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('webhook' in value || 'secretEnv' in value) return webhookSink;
  return 'command' in value ? commandSink : null;
}
