/**
 * Everything of `sluice batch` that can be checked before the start: the file, its repositories and their configs.
 * A wrong line refuses the whole batch, so that nobody finds half a list started.
 */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import type { BatchInput, BatchTask } from '../../../protocol/actors/batch.js';
import { MAX_BATCH_CONCURRENCY } from '../../../protocol/actors/batch.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { type BatchLine, parseBatchFile } from '../../batch-file.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { checkProgram } from './check-program.js';
import { checkRepository } from './check-repository.js';
import { chooseConfig } from './choose-config.js';
import { type Program, refusal } from './run-arguments.js';

export interface PreparedBatch {
  readonly input: BatchInput;
  /** Real paths of all repositories, each once. */
  readonly repositories: readonly string[];
  /** That lines name, each once. */
  readonly hosts: readonly string[];
}

/** What one start can carry; the server takes 2 MiB. **Unit** bytes. */
const MAX_INPUT_BYTES = 1_900_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/;

export interface AskedBatch {
  readonly file: string;
  readonly concurrency: number | null;
  /** From `--agent`, for every line that names none. */
  readonly agent: string | undefined;
  /** Of `--agent command -- …`. */
  readonly program: Program | null;
  readonly backlog: boolean;
}

export async function prepareBatch(context: Context, asked: AskedBatch): Promise<PreparedBatch> {
  const { io } = context;
  const { file, concurrency, backlog } = asked;
  const shown = file === '-' ? '<stdin>' : file;
  const parsed = parseBatchFile(await bytesOf(context, file), shown, backlog ? 'backlog' : 'runs');
  if (parsed.kind === 'bad')
    throw refusal(
      `${foreign(parsed.at)}: ${foreign(parsed.what)}`,
      parsed.why,
      `mend the line, then: sluice batch ${foreign(file)}`,
    );
  const cache: ConfigCache = new Map();
  const tasks: BatchTask[] = [];
  for (const line of parsed.lines)
    tasks.push(await taskOf(context, { line, place: `${shown}:${line.line}`, cache, asked }));
  const input: BatchInput = {
    tasks,
    ...(concurrency === null ? {} : { concurrency }),
    ...(backlog ? { to: 'backlog' as const } : {}),
  };
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_INPUT_BYTES) {
    const why = `at most ${MAX_INPUT_BYTES} fit into one start`;
    throw refusal(
      `the tasks of ${foreign(shown)} have ${bytes} bytes`,
      why,
      'make two files of it, or put long texts into files of the repository',
    );
  }
  if (io.stop.aborted) throw refusal('the command was stopped', 'a batch is started whole', 'start it again');
  return { input, repositories: namedIn(tasks, 'repo'), hosts: namedIn(tasks, 'host') };
}

function namedIn(tasks: readonly BatchTask[], field: 'repo' | 'host'): readonly string[] {
  return [...new Set(tasks.flatMap(({ [field]: value }) => (value === undefined ? [] : [value])))];
}

/** From `--name`, or the file's. */
export function batchNameOf(file: string | null, name: string | undefined): string {
  const asked = name ?? (file === null || file === '-' ? '' : basename(file).replace(/(?<=.)\.[^.]*$/, ''));
  if (NAME.test(asked)) return asked;
  const why =
    'a batch is known by letters, digits, ".", "_" and "-", 1 to 60 of them; the same name skips what it ran before';
  throw refusal(
    asked === '' ? 'the batch has no name' : `the name of the batch is "${foreign(asked).slice(0, 80)}"`,
    why,
    'sluice batch <file.jsonl> --name nightly',
  );
}

export function checkConcurrency(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_BATCH_CONCURRENCY) return count;
  const why = `it must be an integer from 1 to ${MAX_BATCH_CONCURRENCY}: how many runs are open at once`;
  throw refusal(`--concurrency is "${foreign(text).slice(0, 40)}"`, why, 'sluice batch <file.jsonl> --concurrency 2');
}

async function bytesOf({ io }: Context, file: string): Promise<Uint8Array> {
  if (file === '-') return readAll(process.stdin);
  const path = resolve(io.cwd, file);
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw refusal(
      `${foreign(path)} cannot be read (${code})`,
      'a batch is read from a file of JSON lines, or from "-"',
      'sluice batch <file.jsonl>',
    );
  }
}

/** By repository, base and policy: many lines share one. */
type ConfigCache = Map<string, Promise<{ readonly root: string; readonly configHash: string | null }>>;

interface LineToCheck {
  readonly line: BatchLine;
  /** `file:line`. */
  readonly place: string;
  readonly cache: ConfigCache;
  readonly asked: AskedBatch;
}

async function taskOf(context: Context, { line, place, cache, asked }: LineToCheck): Promise<BatchTask> {
  // The file's check has looked at every field.
  const fields = withAgent(line.fields as unknown as BatchTask, asked.agent);
  const key = JSON.stringify([fields.repo, fields.base, fields.preset, fields.policy]);
  const checking = cache.get(key) ?? checkLine(context, fields, { place, program: asked.program });
  cache.set(key, checking);
  const { root, configHash } = await checking;
  return { ...fields, repo: root, ...(configHash === null || fields.configHash !== undefined ? {} : { configHash }) };
}

/** A rewound run takes its source's agents. */
function withAgent(task: BatchTask, agent: string | undefined): BatchTask {
  return agent === undefined || task.rewind !== undefined ? task : { ...task, policy: { agent, ...task.policy } };
}

async function checkLine(
  context: Context,
  { repo, base, preset, policy, rewind }: Partial<RunInput>,
  { place, program: named }: { readonly place: string; readonly program: Program | null },
) {
  try {
    const { root, baseSha } = await checkRepository(context, { repo, base });
    // A rewound run takes its source's policy.
    if (rewind !== undefined) return { root, configHash: null };
    const runInput = { ...(preset === undefined ? {} : { preset }), ...(policy === undefined ? {} : { policy }) };
    const program = checkProgram(context, named, root);
    const { configHash } = await chooseConfig(context, { root, baseSha, runInput, program });
    return { root, configHash };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new RefusedError(
      { ...error.parts, what: `${foreign(place)}: ${error.parts.what}` },
      { exitCode: error.exitCode },
    );
  }
}
