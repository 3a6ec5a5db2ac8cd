/**
 * Whether a coding CLI has a login, as far as files and names of variables tell without a call: a key can be wrong or used up.
 * Reads little, never a value into a result: a name of a file or of a variable is all that leaves. **Effects** none.
 */
import { isAbsolute, join } from 'node:path';
import { parseRecord } from '../../protocol/text/json.js';
import { readForeignFileSync, textOf } from '../system/foreign-file.js';
import type { AgentFile, KnownLogin } from './kind.js';
import { mayPassVariable } from './passed-variables.js';

/** `where`: a path or the name of a variable. */
export type AgentLogin =
  | { readonly kind: 'file'; readonly where: string }
  | { readonly kind: 'variable'; readonly where: string }
  /** None was found; a system's key store can hold one all the same. */
  | { readonly kind: 'none' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Files of a CLI are a few KB; `.claude.json` grows with its use. */
const MAX_BYTES = 4 * 1024 * 1024;

export function loginOf({ files, keys, configs }: KnownLogin, env: Environment): AgentLogin {
  for (const file of files) {
    const path = pathOf(file, env);
    if (path !== null && isLogin(readSome(path), file.field)) return { kind: 'file', where: path };
  }
  const named = [...Object.keys(keys), ...namesIn(configs, env)].find((name) => isSet(env, name));
  return named === undefined ? { kind: 'none' } : { kind: 'variable', where: named };
}

/**
 * Names of the variables that are set and that the CLI reads its folder, its provider or its login from; the allowlist of a run has none of them. Where a
 * file holds the login no key is among them: some CLIs prefer a key, and who has a subscription did not ask for that bill.
 */
export function variablesOf(
  { keys, settings, configs }: KnownLogin,
  env: Environment,
  login: AgentLogin,
): readonly string[] {
  const byKey = Object.entries(keys).flatMap(([key, beside]) => (isSet(env, key) ? [key, ...beside] : []));
  const names = [...(login.kind === 'file' ? [] : byKey), ...settings, ...namesIn(configs, env)];
  return [...new Set(names)].filter((name) => isSet(env, name));
}

/** Of those that are there and can be read. */
export function textsOf(
  configs: KnownLogin['configs'],
  env: Environment,
): readonly { readonly text: string; readonly names: RegExp }[] {
  return configs.flatMap((file) => {
    const path = pathOf(file, env);
    const text = path === null ? null : readSome(path);
    return text === null ? [] : [{ text, names: file.names }];
  });
}

function namesIn(configs: KnownLogin['configs'], env: Environment): readonly string[] {
  return textsOf(configs, env).flatMap(({ text, names }) => {
    return [...text.matchAll(names)].flatMap(([, name]) =>
      // A config that names another one would be refused.
      name !== undefined && mayPassVariable(name) ? [name] : [],
    );
  });
}

function pathOf({ variable, folder, name }: AgentFile, env: Environment): string | null {
  const set = variable === null ? undefined : env[variable];
  if (set !== undefined && isAbsolute(set)) return join(set, name);
  const home = env['HOME'];
  return home === undefined || !isAbsolute(home) ? null : join(home, folder, name);
}

function isLogin(text: string | null, field: string | null): boolean {
  const value = parseRecord(text);
  if (value === null) return false;
  return field === null ? Object.keys(value).length > 0 : Object.hasOwn(value, field);
}

function isSet(env: Environment, name: string): boolean {
  return Object.hasOwn(env, name) && env[name] !== undefined && env[name] !== '';
}

/** Null: no regular file, too large, or not ours to read. */
function readSome(path: string): string | null {
  try {
    return textOf(readForeignFileSync(path, { maxBytes: MAX_BYTES, links: 'followed' }));
  } catch {
    return null;
  }
}
