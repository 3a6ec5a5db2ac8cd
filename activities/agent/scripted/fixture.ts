/**
 * What a scripted agent does, per stage, as JSON: the documented type and its check.
 * Checked by hand, since the scripted agent loads no package. An unknown key is an error.
 */
import { messageOf } from '../../../config/system/error-code.js';
import { ASKS, type AskName } from '../../../protocol/run/admission-policy.js';
import { isInRound, mayWrite, TURN_STAGES, type TurnStage } from '../../../protocol/run/stages.js';
import type { TurnName } from '../../../protocol/run/turn-name.js';

/**
 * One turn. What is given happens in the order of the fields; everything is optional. Paths are relative to the worktree unless said
 * otherwise. In `text`, `{{code}}` becomes the decision code of the prompt.
 */
export interface ScriptedTurn {
  /** Instead of the ledger of the fixture: absolute, or relative to the fixture's folder. */
  readonly ledger?: string;
  /** Does not end on SIGTERM. */
  readonly ignoreTerm?: boolean;
  /** Printed to stderr. */
  readonly stderr?: string;
  /** Starts a child in a session of its own that lives this long (ms) and then writes `CHILD_END` to the ledger. */
  readonly forkSetsid?: number;
  /** Waits until this file exists: absolute, or relative to the fixture's folder. */
  readonly waitFor?: string;
  readonly delayMs?: number;
  /** A unified diff, applied by `git apply`. */
  readonly patch?: string;
  /** Whole contents; null deletes the file. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Text added to the end of files: an edit that shows when it was made twice. */
  readonly append?: Readonly<Record<string, string>>;
  /** A file outside the worktree to write: absolute, or relative to the worktree. */
  readonly writeOutside?: string;
  /** A shell command line, run in the worktree by `/bin/sh -c`; its output goes to stderr. */
  readonly run?: string;
  /** Makes a git commit of its own with this message. */
  readonly commit?: string;
  /** Prints this many bytes, in lines, to stdout. */
  readonly flood?: number;
  readonly text?: string;
  /** Printed below the text as the block `findings`, as they are; not where only the decision is asked for. So are the next three. */
  readonly findings?: readonly unknown[];
  /** Printed as the block `responses`. */
  readonly responses?: readonly unknown[];
  /** Printed as `HUMAN_APPROVAL <code>: REQUIRED` with its lines. */
  readonly humanApproval?: { readonly reason?: string; readonly risk?: string; readonly action?: string };
  /** Printed as `QUESTION <code>: <this>`. */
  readonly question?: string;
  /** Printed as the last line, `DECISION <code>: <this>`, or `VERIFICATION …` in a verification. */
  readonly decision?: string;
  /** The same where only the decision is asked for again; without it `decision` stands. */
  readonly decisionAsk?: string;
  /** Printed to stderr as `sluice-cost: <this>`. Unit: USD. */
  readonly costUsd?: number;
  /** Printed to stderr as `sluice-outcome: <this>`, for instance `rate_limited after=2`; the exit code is 1 unless `exit` says another. */
  readonly outcome?: string;
  /** Dies of this signal, before its END line. */
  readonly killSelf?: NodeJS.Signals;
  /** Never ends by itself; no END line. */
  readonly hang?: boolean;
  /** Exit code. */
  readonly exit?: number;
  /** Done instead of all the above where the ledger already holds a START of this stage, round, ask and step; its own `again` where it holds two. */
  readonly again?: ScriptedTurn;
}

export interface Fixture {
  /** Where START and END lines go: absolute, or relative to the fixture's folder; outside the worktree. */
  readonly ledger?: string;
  /** One turn, or one for each time the stage is entered; the last repeats. A stage that is not here cannot be run. */
  readonly stages: Readonly<Partial<Record<TurnStage, ScriptedTurn | readonly ScriptedTurn[]>>>;
  /** The turns of a plan's steps, instead of the stage's: one, or one for each step by its number; the last repeats. */
  readonly steps?: ScriptedTurn | readonly ScriptedTurn[];
  /** The same of what is asked about a task: one turn, or one for each pass. */
  readonly asks?: Readonly<Partial<Record<AskName, ScriptedTurn | readonly ScriptedTurn[]>>>;
}

/** Errors: FixtureError, which names the path inside the fixture. */
export class FixtureError extends Error {
  override readonly name = 'FixtureError';
}

export function parseFixture(text: string): Fixture {
  const fixture = anObject(parseJson(text), 'the fixture');
  onlyKeys(fixture, ['ledger', 'stages', 'steps', 'asks'], 'the fixture');
  if (fixture['ledger'] !== undefined) RULES.string.check(fixture['ledger'], 'ledger');
  checkTurns(fixture['stages'], 'stages', TURN_STAGES);
  if (fixture['steps'] !== undefined) checkEach(fixture['steps'], 'steps');
  if (fixture['asks'] !== undefined) checkTurns(fixture['asks'], 'asks', ASKS);
  // Every key and value was checked above; the compiler cannot follow checks by table.
  return fixture as unknown as Fixture;
}

function checkTurns(value: unknown, section: string, names: readonly string[]): void {
  const named = anObject(value, section);
  onlyKeys(named, names, section);
  for (const [name, turns] of Object.entries(named)) checkEach(turns, `${section}.${name}`);
}

function checkEach(turns: unknown, where: string): void {
  if (!Array.isArray(turns)) checkTurn(turns, where);
  else if (turns.length === 0) throw wrong(where, turns, 'must hold at least one turn');
  else for (const [n, turn] of turns.entries()) checkTurn(turn, `${where}[${n}]`);
}

/** Where a scripted agent stands. `step`: of the plan; null: the turn does none. */
interface Standing {
  readonly stage: TurnName;
  readonly round: number;
  readonly step: number | null;
}

/** The turn for a round: a stage of the round itself is first entered in round 1, every other and an ask in round 0. */
export function pickTurn(fixture: Fixture, { stage: name, round, step }: Standing): ScriptedTurn {
  const stage = TURN_STAGES.find((one) => one === name);
  if (step !== null && fixture.steps !== undefined && stage !== undefined && mayWrite(stage)) {
    const each = [fixture.steps].flat();
    const turn = each[Math.min(step, each.length) - 1];
    if (turn !== undefined) return turn;
  }
  const ask = ASKS.find((one) => one === name);
  const turns = [
    (ask === undefined ? undefined : fixture.asks?.[ask]) ?? (stage && fixture.stages[stage]) ?? [],
  ].flat();
  const entered = stage !== undefined && isInRound(stage) ? Math.max(0, round - 1) : round;
  const turn = turns[Math.min(entered, turns.length - 1)];
  if (turn === undefined)
    throw new FixtureError(
      `${ask === undefined ? 'stages' : 'asks'}.${name} is missing: the fixture must say what to do in each stage of the run, and at each ask`,
    );
  return turn;
}

/** What is done where the turn was started so often before. The last of the chain repeats. */
export function pickRepeat(turn: ScriptedTurn, starts: number): ScriptedTurn {
  return starts === 0 || turn.again === undefined ? turn : pickRepeat(turn.again, starts - 1);
}

interface Rule {
  check(value: unknown, where: string): void;
}

const RULES = {
  string: rule((value) => typeof value === 'string', 'must be a string'),
  boolean: rule((value) => typeof value === 'boolean', 'must be true or false'),
  whole: rule((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'must be a whole number from 0'),
  usd: rule(
    (value) => typeof value === 'number' && value >= 0 && value <= 1_000_000,
    'must be a number from 0 to 1000000',
  ),
  list: rule((value) => Array.isArray(value), 'must be a list'),
  approval: { check: checkApproval },
  exit: rule(
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255,
    'must be a whole number from 0 to 255',
  ),
  signal: rule(
    (value) => typeof value === 'string' && /^SIG[A-Z0-9]+$/.test(value),
    'must be the name of a signal, such as SIGKILL',
  ),
  contents: mapRule(
    (value) => value === null || typeof value === 'string',
    'must be a string, or null to delete the file',
  ),
  texts: mapRule((value) => typeof value === 'string', 'must be a string'),
  turn: { check: checkTurn },
} satisfies Record<string, Rule>;

const TURN_RULES: Readonly<Record<keyof ScriptedTurn, Rule>> = {
  ledger: RULES.string,
  ignoreTerm: RULES.boolean,
  stderr: RULES.string,
  forkSetsid: RULES.whole,
  waitFor: RULES.string,
  delayMs: RULES.whole,
  patch: RULES.string,
  files: RULES.contents,
  append: RULES.texts,
  writeOutside: RULES.string,
  run: RULES.string,
  commit: RULES.string,
  flood: RULES.whole,
  text: RULES.string,
  findings: RULES.list,
  responses: RULES.list,
  humanApproval: RULES.approval,
  question: RULES.string,
  decision: RULES.string,
  decisionAsk: RULES.string,
  costUsd: RULES.usd,
  outcome: RULES.string,
  killSelf: RULES.signal,
  hang: RULES.boolean,
  exit: RULES.exit,
  again: RULES.turn,
};

function checkTurn(value: unknown, where: string): void {
  const turn = anObject(value, where);
  onlyKeys(turn, Object.keys(TURN_RULES), where);
  for (const [key, rule] of Object.entries(TURN_RULES)) {
    if (turn[key] !== undefined) rule.check(turn[key], `${where}.${key}`);
  }
}

function checkApproval(value: unknown, where: string): void {
  const approval = anObject(value, where);
  onlyKeys(approval, ['reason', 'risk', 'action'], where);
  for (const [key, text] of Object.entries(approval)) RULES.string.check(text, `${where}.${key}`);
}

function rule(holds: (value: unknown) => boolean, must: string): Rule {
  return {
    check(value, where) {
      if (!holds(value)) throw wrong(where, value, must);
    },
  };
}

function mapRule(holds: (value: unknown) => boolean, must: string): Rule {
  const one = rule(holds, must);
  return {
    check(value, where) {
      for (const [key, entry] of Object.entries(anObject(value, where)))
        one.check(entry, `${where}[${JSON.stringify(key)}]`);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FixtureError(`the fixture is not JSON: ${messageOf(error)}`);
  }
}

function anObject(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(where, value, 'must be an object');
  // An object of JSON has string keys and unknown values.
  return value as Record<string, unknown>;
}

function onlyKeys(value: Record<string, unknown>, known: readonly string[], where: string): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      throw new FixtureError(`${where} has the unknown key ${JSON.stringify(key)}: known are ${known.join(', ')}`);
  }
}

function wrong(where: string, value: unknown, must: string): FixtureError {
  return new FixtureError(`${where} is ${JSON.stringify(value)?.slice(0, 80) ?? 'missing'}: ${must}`);
}
