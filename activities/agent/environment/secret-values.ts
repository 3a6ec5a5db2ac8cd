/**
 * Which values of a run's environment are secrets, so that they are shown nowhere. Pure. A guess on the safe side: who gives an agent a
 * value by `env` or `passEnv` gave it for a reason, unless it is plainly something else; of what was captured only the name can tell.
 */
import { isEngineWord } from './engine-words.js';

type Variables = Readonly<Record<string, string>>;

export interface RunVariables {
  /** The allowlisted base of the run. */
  readonly captured: Variables;
  /** `agents.<name>.env` of every agent, with what `passEnv` took. */
  readonly given: readonly Variables[];
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/i;

/** What people choose from a list, and what stands in code and in messages all the time. */
const PLAIN_NAME = /(?:^|_)(?:MODEL|REGION|PROFILE|PROJECT|PROJECT_ID)$/i;

/** **Unit** characters. Below these a value is a word that stands everywhere. */
const LEAST_NAMED = 6;
const LEAST_GIVEN = 8;

export function collectSecretValues({ captured, given }: RunVariables): readonly string[] {
  const named = [captured, ...given].flatMap((variables) => Object.entries(variables).filter(isNamedSecret));
  const other = given.flatMap((variables) => Object.entries(variables).filter(isOtherSecret));
  const values = [...named, ...other].map(([, value]) => value.trim());
  return [...new Set(values)].filter((value) => !isEngineWord(value));
}

function isNamedSecret([name, value]: readonly [string, string]): boolean {
  return SECRET_NAME.test(name) && value.trim().length >= LEAST_NAMED;
}

function isOtherSecret([name, value]: readonly [string, string]): boolean {
  const text = value.trim();
  return (
    text.length >= LEAST_GIVEN && !PLAIN_NAME.test(name) && !isPath(text) && !isNumber(text) && !isPlainAddress(text)
  );
}

/** Or a list of them. Base64 may begin with a slash, so each part must be short of what a key is made of. */
function isPath(text: string): boolean {
  return text.split(':').every((part) => /^(?:~|\.{1,2})?\//.test(part) && !/[+=]/.test(part));
}

function isNumber(text: string): boolean {
  return Number.isFinite(Number(text));
}

/** Of a provider, without a user, a query, or a part of the path that is as long as a key. */
function isPlainAddress(text: string): boolean {
  if (!/^(?:https?|wss?):\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash, pathname } = new URL(text);
  return `${username}${password}${search}${hash}` === '' && pathname.split('/').every((part) => part.length < 20);
}
