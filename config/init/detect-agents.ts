/**
 * Which of the known coding CLIs this machine has: on PATH, outside the repository, with their logins as far as files tell.
 * It starts nothing; `agentVersion` asks a found program for its version and for nothing else. A guess that a person reads before it is used.
 */
import { type ExecFileOptionsWithStringEncoding, execFile } from 'node:child_process';
import type { Adapter } from '../../protocol/run/policy.js';
import { type AgentLogin, type Environment, loginOf, variablesOf } from '../agents/agent-login.js';
import type { AgentKind } from '../agents/kind.js';
import { AGENT_KINDS } from '../agents/kinds.js';
import { providerHosts } from '../agents/provider-hosts.js';
import { resolveProgram } from '../system/resolve-program.js';

export interface FoundAgent {
  readonly program: string;
  readonly path: string;
  readonly adapter: Adapter;
  /** What starts it. Null: its adapter knows. */
  readonly command: AgentKind['command'];
  readonly login: AgentLogin;
  /** Names of variables that it needs in a turn, as they are set here. */
  readonly passEnv: readonly string[];
  /** Of providers that it was pointed at, as `networkAllow` takes them. */
  readonly hosts: readonly string[];
  /** The command that makes a login. */
  readonly makeLogin: string;
}

const VERSION_LIMIT_MS = 5_000;
const MAX_VERSION_BYTES = 64 * 1024;

/** `forbidden`: folders that an agent can write. */
export function detectAgents(env: Environment, forbidden: readonly string[]): readonly FoundAgent[] {
  return AGENT_KINDS.flatMap(({ program, adapter, command, login: known }) => {
    if (program === null || known === null) return [];
    const found = resolveProgram(program, { path: env['PATH'] ?? '', forbidden });
    if (found.kind !== 'found') return [];
    const login = loginOf(known, env);
    const passEnv = variablesOf(known, env, login);
    return [
      {
        program,
        path: found.path,
        adapter,
        command,
        login,
        passEnv,
        hosts: providerHosts(known, env),
        makeLogin: known.make,
      },
    ];
  });
}

/** The one that a config may name without a word of the person: one with a login before one without, else the order of the table. */
export function chooseAgent<Agent extends FoundAgent>(found: readonly Agent[]): Agent | null {
  return found.find(({ login }) => login.kind !== 'none') ?? found[0] ?? null;
}

/**
 * What its own command says of its login, without a call to a provider: it also sees a key store of the system. Null: it has no such command, or
 * does not say within five seconds. **Effects** one process, with the folders of its settings and without a key.
 */
export function agentSaysLogin(
  { program, path }: Pick<FoundAgent, 'program' | 'path'>,
  env: Environment,
): Promise<boolean | null> {
  const kind = findByProgram(program);
  const known = kind?.login ?? null;
  if (known === null || known.status === null) return Promise.resolve(null);
  const folders = Object.fromEntries(
    known.settings.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const args = [...known.status];
  return new Promise((resolve) => {
    const child = execFile(path, args, optionsOf(env, { ...kind?.switches, ...folders }), (error) => {
      if (error === null) resolve(true);
      else resolve(error.code === 1 ? false : null);
    });
    child.stdin?.on('error', () => undefined).end();
  });
}

/** Null: it does not say within five seconds. **Effects** one process, `<program> --version`, with an allowlisted environment and no input. */
export function agentVersion(
  { program, path }: Pick<FoundAgent, 'program' | 'path'>,
  env: Environment,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(path, ['--version'], optionsOf(env, findByProgram(program)?.switches), (error, stdout) => {
      resolve(error === null ? (/\d+\.\d+\.\d+[\w.+-]{0,40}/.exec(stdout)?.[0] ?? null) : null);
    });
    // A program that is gone before it reads has an end of its own to tell.
    child.stdin?.on('error', () => undefined).end();
  });
}

function findByProgram(program: string): AgentKind | undefined {
  return AGENT_KINDS.find((kind) => kind.program === program);
}

function optionsOf({ PATH = '', HOME = '' }: Environment, more: Environment = {}): ExecFileOptionsWithStringEncoding {
  return {
    encoding: 'utf8',
    timeout: VERSION_LIMIT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_VERSION_BYTES,
    env: { ...more, PATH, HOME, NO_COLOR: '1' },
  };
}
