/**
 * Whose usage limit an agent works under: `<provider>/<account>`, a pure function of its config. Runs whose agents have the same one share a quota
 * gate, all others go on. It names no person and no folder: it stands in workflow ids and lists.
 */
import type { Adapter } from '../../protocol/run/policy.js';
import { shortHash } from '../../protocol/text/short-hash.js';
import { findKind, nameProgram } from './kinds.js';

/** The part of an agent's config that decides; a missing field and null mean the same. */
interface AccountConfig {
  readonly adapter: Adapter;
  readonly command: readonly [string, ...string[]] | null;
  readonly args?: readonly string[];
  /** Of the adapter `model`. */
  readonly provider?: string | null;
  readonly baseUrl?: string | null;
  /** Named by a person: two logins of one provider, or agents that share one. */
  readonly account?: string | null;
  /** The folder of another login of the same program. */
  readonly configDir?: string | null;
}

const DEFAULT_ACCOUNT = 'default';

/** Programs that say nothing about the provider behind them. */
const CARRIERS: ReadonlySet<string> = new Set(
  'sh bash dash zsh env node npx npm pnpm yarn bun bunx deno tsx python python3 uvx uv'.split(' '),
);

/** What `accountOf` answers, and what a person may name. */
export const ACCOUNT = /^[A-Za-z0-9][\w.-]{0,63}\/[A-Za-z0-9][\w.-]{0,63}$/;

/** `name`: of the agent in `agents`. */
export function accountOf(name: string, config: AccountConfig): string {
  return `${providerOf(name, config)}/${loginOf(config)}`;
}

function providerOf(name: string, { adapter, command, provider, baseUrl }: AccountConfig): string {
  const own = word(name, 'agent');
  const known = findKind({ adapter, command }).provider;
  if (known !== null) return known;
  // Compatible servers have nothing in common but their protocol, so the server itself is the provider.
  if (adapter === 'model')
    return word(provider === 'openai-compatible' ? hostOf(baseUrl ?? '') : (provider ?? ''), own);
  const program = nameProgram(command);
  return program === '' || CARRIERS.has(program) ? own : word(program, own);
}

function loginOf({ adapter, args = [], account, configDir }: AccountConfig): string {
  if (account !== undefined && account !== null) return word(account, DEFAULT_ACCOUNT);
  // It has no provider: its limits are those that its fixture plays.
  if (adapter === 'scripted' && args.length > 0) return shortHash(args.join('\0'));
  if (configDir === undefined || configDir === null) return DEFAULT_ACCOUNT;
  // Folders of one name in two places are two logins.
  return `${word(lastPart(configDir), 'dir').slice(0, 55)}-${shortHash(configDir)}`;
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/]+)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

function lastPart(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? '';
}

/** Fit for an id: letters, digits, `_`, `.`, `-`. */
function word(text: string, otherwise: string): string {
  const kept = text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return kept === '' ? otherwise : kept;
}
