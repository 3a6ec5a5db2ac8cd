/**
 * What `sluice run` was asked to do, checked before anything starts. Every refusal names the value, the rule and a command.
 * Reading standard input is the caller's business; this file is pure.
 */
import type { FlagOptions } from '../../../config/keys/run-flags.js';
import { MAX_TASK_BYTES, MAX_TITLE_CHARS } from '../../../protocol/limits.js';
import { isRunId, RUN_ID_RULE } from '../../../protocol/run/run-id.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { foreign } from '../terminal/io.js';

export interface RunOptions extends FlagOptions {
  readonly task: string | undefined;
  /** Behind `--`. */
  readonly program: readonly string[];
  readonly base?: string | undefined;
  readonly title?: string | undefined;
  readonly runId?: string | undefined;
  readonly repo?: string | undefined;
  readonly host?: string | undefined;
  readonly local: boolean;
  readonly detach: boolean;
}

export type Program = readonly [string, ...string[]];

const NOTHING = 'Nothing was started.';

/** The commands that take one. */
const WITH_PROGRAM = { run: 'run "<task>"', init: 'init', batch: 'batch <file.jsonl>' } as const;

/** The program behind `--`, or null. Errors: RefusedError when `--agent command` and a program do not go together. */
export function programOf(
  { agent, program }: Pick<RunOptions, 'agent' | 'program'>,
  command: keyof typeof WITH_PROGRAM,
): Program | null {
  const [name, ...args] = program;
  const mend = `sluice ${WITH_PROGRAM[command]} --agent command -- <program> [args...]`;
  if (agent === 'command' && name === undefined) {
    throw refusal('--agent command names no program', 'the program and its arguments stand behind "--"', mend);
  }
  if (name === undefined) return null;
  if (agent === 'command') return [name, ...args];
  throw refusal(
    `"${foreign(program.join(' ')).slice(0, 80)}" stands behind "--", but ${agent === undefined ? 'no agent is named' : `the agent is ${foreign(agent)}`}`,
    'only --agent command takes a program',
    mend,
  );
}

/** The task as it is sent. */
export function checkTask(task: string): string {
  const text = task.trim();
  if (text === '') {
    throw refusal('the task is empty', 'it must say what to do', 'sluice run "fix the failing test in src/parse.ts"');
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TASK_BYTES) return text;
  throw refusal(
    `the task has ${bytes} bytes`,
    `at most ${MAX_TASK_BYTES} are taken: it travels in every prompt and history`,
    'put the long part into a file of the repository and name that file: sluice run "do what docs/task.md says"',
  );
}

export function checkTitle(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const line = title.trim();
  if (line !== '' && line.length <= MAX_TITLE_CHARS && !/[\r\n]/.test(line)) return line;
  throw refusal(
    `--title is "${foreign(title).slice(0, 60)}"`,
    `it must be one line of 1 to ${MAX_TITLE_CHARS} characters`,
    'sluice run "<task>" --title "<one line>"',
  );
}

export function checkRunId(runId: string | undefined): string | undefined {
  if (runId === undefined || isRunId(runId)) return runId;
  throw refusal(
    `--run-id is "${foreign(runId).slice(0, 90)}"`,
    `it must be ${RUN_ID_RULE}`,
    'leave it out, or: sluice run "<task>" --run-id fix-parser-1',
  );
}

export function refusal(what: string, why: string, mend: string): RefusedError {
  return new RefusedError({ what, why, now: NOTHING, mend });
}
