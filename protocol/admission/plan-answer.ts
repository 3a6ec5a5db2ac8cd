/** Reads the plan out of an agent's answer, by hand: a plan is taken whole or refused with the step that is wrong. Pure. Source: S-28, S-34 to S-36. */
import { isRecord } from '../text/json.js';
import { quoteValue, readLine, readText } from './agent-text.js';
import { NOT_MEANT } from './find-json.js';
import { canonicalPlan, type PlanStep, STEP_VERBS } from './plan-steps.js';
import { readRepositoryPath } from './repository-path.js';

export const MAX_PLAN_STEPS = 50;

/** Unit: UTF-16 code units of `canonicalPlan`: the steps travel through histories and stand in every prompt. */
const MAX_PLAN_CHARS = 64 * 1024;

/** Unit: UTF-16 code units. What is longer is cut. */
const MAX_STEP_TEXT_CHARS = 2_000;
const MAX_SYMBOL_CHARS = 200;

/** Of one step, and of the whole plan. What is beyond is refused. */
const MAX_STEP_SYMBOLS = 50;
const MAX_AFFECTED = 200;

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** What the agent says that it is going to touch, each once. Only the diff knows. */
  readonly filesAffected: readonly string[];
  readonly symbolsAffected: readonly string[];
}

/** What is in a plan and what is wrong with it, by the place: `step 3: …`. */
type Read<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'bad'; readonly why: string };

/** A text says why it is refused. A list that is missing is empty; `depends_on` becomes seqs. */
export function readPlan(value: unknown): Plan | string {
  if (!isRecord(value) || !('plan' in value)) return NOT_MEANT;
  const rows: unknown = value['plan'];
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MAX_PLAN_STEPS)
    return `plan must be a list of 1 to ${MAX_PLAN_STEPS} steps`;
  const steps: PlanStep[] = [];
  for (const [index, row] of rows.entries()) {
    const step = readStep(row, index);
    if (step.kind === 'bad') return `step ${index + 1} (index ${index}): ${step.why}`;
    steps.push(step.value);
  }
  if (canonicalPlan(steps).length > MAX_PLAN_CHARS)
    return `the plan is too long: its steps may have ${MAX_PLAN_CHARS} characters together`;
  const files = readList(value['files_affected'], MAX_AFFECTED, readPathText);
  if (files.kind === 'bad') return `files_affected: ${files.why}`;
  const symbols = readList(value['symbols_affected'], MAX_AFFECTED, readSymbol);
  if (symbols.kind === 'bad') return `symbols_affected: ${symbols.why}`;
  return { steps, filesAffected: files.value, symbolsAffected: symbols.value };
}

function readStep(row: unknown, index: number): Read<PlanStep> {
  if (!isRecord(row)) return bad('it must be an object');
  const verb = STEP_VERBS.find((known) => known === row['verb']);
  if (verb === undefined) return bad(`verb is ${quoteValue(row['verb'])}; it must be one of ${STEP_VERBS.join(', ')}`);
  const description = readText(row['description'], MAX_STEP_TEXT_CHARS);
  const acceptance = readText(row['acceptance'], MAX_STEP_TEXT_CHARS);
  if (description === null || acceptance === null)
    return bad(`${description === null ? 'description' : 'acceptance'} must be a text`);
  const target = readTarget(row['target_file']);
  if (target.kind === 'bad') return bad(`target_file ${target.why}`);
  const symbols = readList(row['symbols'], MAX_STEP_SYMBOLS, readSymbol);
  if (symbols.kind === 'bad') return bad(`symbols: ${symbols.why}`);
  const dependsOn = readDependencies(row['depends_on'], index);
  if (dependsOn.kind === 'bad') return dependsOn;
  const [targetFile, seq] = [target.value, index + 1];
  return ok({ seq, verb, targetFile, symbols: symbols.value, acceptance, dependsOn: dependsOn.value, description });
}

/** Agents write an empty text where they mean none. */
function readTarget(value: unknown): Read<string | null> {
  return value === undefined || value === null || value === '' ? ok(null) : readPathText(value);
}

/** Only earlier steps: so there is no circle (S-36). */
function readDependencies(value: unknown, index: number): Read<readonly number[]> {
  if (value === undefined || value === null) return ok([]);
  if (!Array.isArray(value)) return bad('depends_on must be a list of indexes, the first step is 0');
  const indexes = new Set<number>();
  for (const one of value.slice(0, MAX_PLAN_STEPS + 1)) {
    if (typeof one !== 'number' || !Number.isInteger(one) || one < 0 || one >= index)
      return bad(`depends_on names ${quoteValue(one)}; a step may wait for steps before it alone, the first step is 0`);
    indexes.add(one);
  }
  if (value.length > MAX_PLAN_STEPS) return bad(`depends_on has more than ${MAX_PLAN_STEPS} entries`);
  return ok([...indexes].toSorted((one, other) => one - other).map((one) => one + 1));
}

function readList(value: unknown, max: number, read: (one: unknown) => Read<string>): Read<readonly string[]> {
  if (value === undefined || value === null) return ok([]);
  if (!Array.isArray(value) || value.length > max) return bad(`must be a list of at most ${max} texts`);
  const texts = new Set<string>();
  for (const one of value) {
    const text = read(one);
    if (text.kind === 'bad') return text;
    texts.add(text.value);
  }
  return ok([...texts]);
}

function readSymbol(value: unknown): Read<string> {
  const line = readLine(value);
  return line === null || line.length > MAX_SYMBOL_CHARS
    ? bad(`${quoteValue(value)} is no text of at most ${MAX_SYMBOL_CHARS} characters`)
    : ok(line);
}

function readPathText(value: unknown): Read<string> {
  const read = readRepositoryPath(value);
  return read.kind === 'bad' ? bad(read.why) : ok(read.path);
}

function ok<T>(value: T): Read<T> {
  return { kind: 'ok', value };
}

function bad(why: string): { readonly kind: 'bad'; readonly why: string } {
  return { kind: 'bad', why };
}
