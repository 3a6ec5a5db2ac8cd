/** What is recorded of each CLI: one case a row of its outcome table. The prompt's markers say how the provider behaves. */
import { randomUUID } from 'node:crypto';
import type { NativeName } from './agent-clis.js';

export interface TranscriptCase {
  readonly name: string;
  /** Of the task; empty: the model does its part. */
  readonly marker: string;
  readonly stage: 'planning' | 'executing' | 'reviewing';
  /** What the CLI may do. */
  readonly tools: 'read' | 'edit';
  readonly resume?: 'unknown' | 'previous';
  /** Starts with the session id of the case before, where the CLI takes one. */
  readonly sameSession?: true;
  readonly retries?: number;
  /** Unit: ms; then TERM, as the guard does. */
  readonly endAfterMs?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const WAITS_MS = 8_000;

/** As of a person who pays by the month, in so far as the CLI tells the two apart. */
const SUBSCRIPTION = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'dummy' };

export const TRANSCRIPT_CASES: readonly TranscriptCase[] = [
  { name: 'success', marker: '', stage: 'planning', tools: 'read' },
  { name: 'success-review', marker: '', stage: 'reviewing', tools: 'read' },
  { name: 'success-edit', marker: '', stage: 'executing', tools: 'edit' },
  { name: 'used-session', marker: '', stage: 'executing', tools: 'edit', sameSession: true },
  { name: 'denied-tool', marker: '[mock:denied]', stage: 'executing', tools: 'edit' },
  { name: 'denied-edit', marker: '[mock:write]', stage: 'planning', tools: 'read' },
  { name: 'lookalike', marker: '[mock:lookalike]', stage: 'planning', tools: 'read' },
  {
    name: 'rate-limit-after',
    marker: '[mock:rate-limit after=2]',
    stage: 'planning',
    tools: 'read',
    retries: 1,
    endAfterMs: 30_000,
  },
  {
    name: 'rate-limit-after-waiting',
    marker: '[mock:rate-limit after=33]',
    stage: 'planning',
    tools: 'read',
    retries: 1,
    endAfterMs: WAITS_MS,
  },
  {
    name: 'rate-limit-after-no-retries',
    marker: '[mock:rate-limit after=33]',
    stage: 'planning',
    tools: 'read',
    retries: 0,
    endAfterMs: 30_000,
  },
  { name: 'rate-limit', marker: '[mock:rate-limit]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  {
    name: 'rate-limit-waiting',
    marker: '[mock:rate-limit]',
    stage: 'planning',
    tools: 'read',
    retries: 3,
    endAfterMs: WAITS_MS,
  },
  {
    name: 'usage-limit',
    marker: '[mock:usage-limit in=3600]',
    stage: 'planning',
    tools: 'read',
    retries: 0,
    endAfterMs: 30_000,
  },
  {
    name: 'usage-limit-waiting',
    marker: '[mock:usage-limit in=3600]',
    stage: 'planning',
    tools: 'read',
    retries: 1,
    endAfterMs: WAITS_MS,
  },
  {
    name: 'usage-limit-subscription',
    marker: '[mock:usage-limit in=3600]',
    stage: 'planning',
    tools: 'read',
    retries: 1,
    endAfterMs: WAITS_MS,
    env: SUBSCRIPTION,
  },
  {
    name: 'usage-limit-days-subscription',
    marker: '[mock:usage-limit in=432000]',
    stage: 'planning',
    tools: 'read',
    retries: 1,
    endAfterMs: WAITS_MS,
    env: SUBSCRIPTION,
  },
  { name: 'quota', marker: '[mock:quota]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  { name: 'credit', marker: '[mock:credit]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  { name: 'overflow', marker: '[mock:overflow]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  { name: 'login', marker: '[mock:login]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  {
    name: 'no-login',
    marker: '',
    stage: 'planning',
    tools: 'read',
    endAfterMs: 30_000,
    env: { ANTHROPIC_API_KEY: undefined, MOCK_API_KEY: undefined },
  },
  { name: 'http-500', marker: '[mock:http-500]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  {
    name: 'http-500-waiting',
    marker: '[mock:http-500]',
    stage: 'planning',
    tools: 'read',
    retries: 3,
    endAfterMs: WAITS_MS,
  },
  { name: 'overloaded', marker: '[mock:overloaded]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  { name: 'reset', marker: '[mock:reset]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: 30_000 },
  { name: 'hang', marker: '[mock:hang]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: WAITS_MS },
  { name: 'trickle', marker: '[mock:trickle]', stage: 'planning', tools: 'read', retries: 0, endAfterMs: WAITS_MS },
  { name: 'unknown-resume', marker: '', stage: 'executing', tools: 'edit', resume: 'unknown', endAfterMs: 30_000 },
  { name: 'resume-first', marker: '[mock:text]', stage: 'executing', tools: 'edit' },
  { name: 'resume-second', marker: '[mock:text]', stage: 'executing', tools: 'edit', resume: 'previous' },
];

/** What the case before told or was given; null where it had none. */
export type Session = string | null;

export interface Started {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Given by us, so known before the start. */
  readonly session: Session;
}

const UNKNOWN_SESSION: Readonly<Record<NativeName, string>> = {
  'claude-code': '00000000-0000-4000-8000-000000000000',
  codex: '00000000-0000-4000-8000-000000000000',
  opencode: 'ses_0000000000000000000000000000',
};

/** How the CLI is started. The prompt goes to its standard input. */
export function startOf(
  cli: NativeName,
  { tools, resume, retries, sameSession }: TranscriptCase,
  before: Session,
): Started {
  const id = resume === undefined ? null : resume === 'unknown' ? UNKNOWN_SESSION[cli] : before;
  switch (cli) {
    case 'claude-code': {
      const session = id ?? (sameSession === true && before !== null ? before : randomUUID());
      const mode =
        tools === 'edit'
          ? ['--permission-mode', 'acceptEdits']
          : ['--permission-mode', 'default', '--disallowedTools', 'Edit,Write,NotebookEdit,Bash'];
      const conversation = id === null ? ['--session-id', session] : ['--resume', id];
      return {
        argv: ['claude', '-p', '--output-format', 'stream-json', '--verbose', ...mode, ...conversation],
        env: retries === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: String(retries) },
        session,
      };
    }
    case 'codex': {
      const settings = [
        '--json',
        '-c',
        `sandbox_mode="${tools === 'edit' ? 'workspace-write' : 'read-only'}"`,
        '-c',
        'analytics.enabled=false',
      ];
      const counts = retries === undefined ? [] : ['-c', `model_providers.mock.request_max_retries=${retries}`];
      const verb = id === null ? ['exec'] : ['exec', 'resume'];
      return {
        argv: ['codex', ...verb, ...settings, ...counts, ...(id === null ? [] : [id]), '-'],
        env: {},
        session: id,
      };
    }
    case 'opencode': {
      const permission = tools === 'edit' ? { edit: 'allow', bash: 'ask' } : { edit: 'deny', bash: 'deny' };
      return {
        argv: [
          'opencode',
          'run',
          '--format',
          'json',
          '--print-logs',
          '--log-level',
          'WARN',
          ...(id === null ? [] : ['-s', id]),
        ],
        env: { OPENCODE_PERMISSION: JSON.stringify(permission) },
        session: id,
      };
    }
  }
}
