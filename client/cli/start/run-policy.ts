/**
 * The part of `sluice run`'s options that is policy, in the shape of a config file. Pure: a value is checked here so that the refusal names
 * the option as it was typed; what a layer may change is decided where the policy is resolved.
 */
import { placeAt, type Tree } from '../../../config/keys/place-at.js';
import { type FlagOptions, RUN_FLAGS, type RunFlag } from '../../../config/keys/run-flags.js';
import type { Json } from '../../../protocol/text/json.js';
import { foreign, type Io } from '../terminal/io.js';
import { refusal } from './run-arguments.js';

/** Empty where no option names a key. Errors: RefusedError for a value that is none. */
export function policyOf(options: FlagOptions): Readonly<Record<string, unknown>> {
  const policy: Tree = {};
  // A start input has the preset beside its policy.
  const flags = Object.entries<RunFlag>(RUN_FLAGS).filter(([, { key }]) => key !== 'preset');
  for (const [name, flag] of flags) {
    const value = readFlag(name, flag, options[name as keyof FlagOptions]);
    if (value !== null) placeAt(policy, flag.key, value);
  }
  return policy;
}

/** Whether a person is expected to answer. Errors: RefusedError where the options say both. */
export function isAttended({ attended: terminal }: Pick<Io, 'attended'>, options: FlagOptions): boolean {
  const { attended = false, unattended = false } = options;
  if (!attended || !unattended) return attended || (terminal && !unattended);
  const why = 'one says that somebody will answer, the other that nobody will';
  throw refusal('--attended and --unattended are given', why, 'sluice run "<task>" --attended');
}

/** Null: the option is not given. */
function readFlag(name: string, flag: RunFlag, given: FlagOptions[keyof FlagOptions]): Json {
  if (flag.kind === 'switch') return given === true ? flag.writes : null;
  if (typeof given === 'string') return readValue(name, flag, given);
  return Array.isArray(given) && given.length > 0 ? given.map((text: string) => readValue(name, flag, text)) : null;
}

function readValue(name: string, { check }: Exclude<RunFlag, { kind: 'switch' }>, text: string): Json {
  if (check === null) return text;
  const value = check.read(text);
  if (value !== null) return value;
  throw refusal(
    `--${name} is "${foreign(text).slice(0, 60)}"`,
    check.rule,
    `sluice run "<task>" --${name} ${check.example}`,
  );
}
