/**
 * Which project config a run uses: the one at the base commit, or a text that the person named by hash. Pure.
 * What can start programs is used only if its hash is trusted; what cannot may then do more than make stricter (layer-merge.ts). Source: docs/design.md "Trust".
 */

import { PROJECT_CONFIG } from '../home/home.js';
import type { Trust } from '../home/trust.js';
import { executes, parseConfigFile } from '../layers/parse-config.js';
import { ConfigError, problem } from '../system/config-error.js';
import { hashOfText } from '../system/config-text.js';

export interface ConfigCandidates {
  /** `.sluice/config.yaml` at the base commit. */
  readonly baseText: string | null;
  /** The one in the person's checkout. */
  readonly workingText: string | null;
  readonly requestedHash?: string;
  readonly trust: Trust;
}

export type ConfigChoice =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'chosen';
      readonly text: string;
      readonly hash: string;
      /** `kept`: neither base nor checkout has it any more; the trusted text is in the sluice home. */
      readonly origin: 'base' | 'working' | 'kept';
      /** A person trusted it. Where this is false it starts nothing. */
      readonly isTrusted: boolean;
      /** The checkout has another text, which this run does not use. */
      readonly workingDiffers: boolean;
    }
  | NotTrusted;

export interface NotTrusted {
  readonly kind: 'not_trusted';
  /** The text that waits for trust, null for a requested hash that nobody here holds. */
  readonly text: string | null;
  readonly hash: string;
  readonly error: ConfigError;
}

/** **Errors** none: a text that does not parse is chosen, and refused with its place by `resolvePolicy`. */
export function selectProjectConfig({ baseText, workingText, requestedHash, trust }: ConfigCandidates): ConfigChoice {
  if (requestedHash !== undefined) return selectByHash({ baseText, workingText, requestedHash, trust });
  if (baseText !== null) return choose(baseText, 'base', { trust, workingText });
  // Right after `sluice init`, before its file is committed.
  return workingText === null ? { kind: 'none' } : choose(workingText, 'working', { trust, workingText });
}

/** True if the text could start programs or move files of the checkout. False for what cannot be read at all. */
export function needsTrust(text: string): boolean {
  try {
    return executes(parseConfigFile('project', { text, name: PROJECT_CONFIG }));
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function selectByHash({ baseText, workingText, requestedHash, trust }: Required<ConfigCandidates>): ConfigChoice {
  const isIt = (text: string | null): text is string => text !== null && hashOfText(text) === requestedHash;
  if (isIt(baseText)) return choose(baseText, 'base', { trust, workingText });
  if (isIt(workingText)) return choose(workingText, 'working', { trust, workingText });
  const kept = trust.textOf(requestedHash);
  if (kept !== null && trust.isTrusted(requestedHash)) return choose(kept, 'kept', { trust, workingText });
  return refusal(null, requestedHash, 'no config text of this hash is known here');
}

function choose(
  text: string,
  origin: 'base' | 'working' | 'kept',
  { trust, workingText }: { trust: Trust; workingText: string | null },
): ConfigChoice {
  const hash = hashOfText(text);
  const isTrusted = trust.isTrusted(hash);
  if (!isTrusted && needsTrust(text)) {
    const where = origin === 'base' ? 'at the base commit' : 'in the checkout';
    return refusal(text, hash, `the config ${where} starts programs, and nobody trusted it`);
  }
  return {
    kind: 'chosen',
    text,
    hash,
    origin,
    isTrusted,
    workingDiffers: workingText !== null && workingText !== text,
  };
}

function refusal(text: string | null, hash: string, found: string): NotTrusted {
  const rule = `programs and commands come only from your own config or from a project config that you trusted (sha256 ${hash.slice(0, 12)})`;
  const mend = 'Look at it and trust it:  sluice trust';
  return {
    kind: 'not_trusted',
    text,
    hash,
    error: new ConfigError([problem('NotTrusted', PROJECT_CONFIG, { key: 'config', found, rule, mend })]),
  };
}
