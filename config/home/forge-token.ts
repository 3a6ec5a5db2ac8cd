/** Finds the token of a forge where its own command line has it too. Whoever asks uses it and forgets it: it is kept nowhere. */
import { execFile } from 'node:child_process';
import { isLoopback } from '../keys/webhook-address.js';
import { programPath } from '../system/program-path.js';
import { resolveProgram } from '../system/resolve-program.js';

export interface TokenPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As `gh` names it: `github.com`. */
  readonly host: string;
  /** Absolute folders in which no program is looked for: repositories. */
  readonly forbidden: readonly string[];
}

export type FoundToken =
  | { readonly kind: 'token'; readonly token: string; readonly source: string }
  /** `why`: a clause. */
  | { readonly kind: 'none'; readonly why: string };

/** The first that is there: the token of one forge is not for another. Source: cli.github.com/manual/gh_help_environment. */
const OF_GITHUB = ['GH_TOKEN', 'GITHUB_TOKEN'] as const;
const OF_SERVER = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] as const;

/** `host` may have a port. On this machine the person's own forge is tried, with whichever there is. */
export function variablesFor(host: string): readonly [string, ...string[]] {
  if (host === 'github.com' || host.endsWith('.ghe.com')) return OF_GITHUB;
  return isLoopback(host.replace(/:\d+$/, '')) ? [...OF_GITHUB, ...OF_SERVER] : OF_SERVER;
}

const LIMIT_MS = 10_000;

/** What a header takes. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/;

export async function findForgeToken({ environment, host, forbidden }: TokenPlaces): Promise<FoundToken> {
  const variables = variablesFor(host);
  for (const name of variables) {
    const token = environment[name]?.trim() ?? '';
    if (token === '') continue;
    if (TOKEN.test(token)) return { kind: 'token', token, source: name };
    return { kind: 'none', why: `${name} holds no token` };
  }
  const gh = resolveProgram('gh', { path: programPath(environment['PATH'] ?? ''), forbidden });
  if (gh.kind !== 'found')
    return { kind: 'none', why: `neither ${variables.join(' nor ')} is set, and there is no gh` };
  const token = await askGh(gh.path, host, environment);
  if (TOKEN.test(token)) return { kind: 'token', token, source: 'gh auth token' };
  return { kind: 'none', why: `neither ${variables.join(' nor ')} is set, and gh has no token for ${host}` };
}

/** Empty: it has none, or does not end. */
function askGh(program: string, host: string, environment: TokenPlaces['environment']): Promise<string> {
  const args = ['auth', 'token', '--hostname', host];
  const options = { env: { ...environment, GH_PROMPT_DISABLED: '1' }, timeout: LIMIT_MS, encoding: 'utf8' } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout.trim() : '')).stdin?.end();
  });
}
