/**
 * What the adapters of coding CLIs have in common: a table from the signals of one CLI to the meaning of a turn, and the outcome made of it.
 * A row says what is true; whether the process was ended from outside is asked first, and a success counts only with exit code 0.
 */
import { TURN_OUTCOMES, type TurnOutcome, type TurnOutcomeKind } from '../../../protocol/run/outcomes.js';
import type { AgentExit, TurnRequest } from '../contract.js';
import { loginCommand } from '../environment/login-variables.js';
import { classifyFailure, type PlainTold } from '../outcome/failure-table.js';
import { readGuardEnd, why } from '../outcome/guard-end.js';
import { readLastLines } from '../outcome/read-plain-turn.js';
import { type JsonEvent, readJsonLines } from './read-json-lines.js';

/** What a CLI's signals mean. `said` is what it said of it, without control characters; empty: nothing. */
export type Meaning =
  | { readonly kind: 'success' }
  /** Its own words, which the table of phrases reads: failure-table.ts. */
  | { readonly kind: 'told'; readonly said: string }
  | { readonly kind: 'usage_limit'; readonly said: string; readonly untilMs: number | null }
  | { readonly kind: 'rate_limited'; readonly said: string; readonly afterMs: number | null }
  | { readonly kind: PlainMeaning; readonly said: string }
  /** The CLI's own final event is missing. */
  | { readonly kind: 'unfinished' };

/** All of which is in its words. */
export type PlainMeaning = 'unknown_conversation' | 'login' | 'needs_input' | 'transient' | 'hard' | PlainTold;

/** What it said by its events, and the last lines of its stderr, oldest first. */
export type Signals<Said> = Said & { readonly stderr: readonly string[] };

/** The first row whose answer is not null decides. */
export type Row<Said> = (said: Signals<Said>) => Meaning | null;

interface CliReading<Said> {
  readonly events: { readonly said: Said; take(event: JsonEvent): void };
  readonly table: readonly Row<Said>[];
  /** A command that logs in, as a person types it. */
  readonly login?: string;
}

interface CliTurn {
  readonly turn: TurnRequest;
  readonly exit: AgentExit;
  readonly meaning: Meaning;
  /** Lines that were too long to read. */
  readonly tooLong: number;
  readonly stderr: readonly string[];
  readonly login: string;
}

const MAX_UNTIL_MS = 400 * 24 * 60 * 60 * 1000;

/** Errors: those of reading the two files. */
export async function readCli<Said>(
  turn: TurnRequest,
  exit: AgentExit,
  { events, table, login = loginCommand(turn.config) }: CliReading<Said>,
): Promise<{ readonly outcome: TurnOutcome; readonly stderr: readonly string[] }> {
  const tooLong = await readJsonLines(exit.stdout, (event) => events.take(event));
  const stderr = await readLastLines(exit.stderr);
  const meaning = meaningOf(table, { ...events.said, stderr });
  return { outcome: outcomeOfCli({ turn, exit, meaning, tooLong, stderr, login }), stderr };
}

function meaningOf<Said>(table: readonly Row<Said>[], said: Signals<Said>): Meaning {
  for (const row of table) {
    const meaning = row(said);
    if (meaning !== null) return meaning;
  }
  return { kind: 'unfinished' };
}

function outcomeOfCli(cli: CliTurn): TurnOutcome {
  const { exit, meaning, stderr } = cli;
  const complaint = stderr.at(-1)?.trim() ?? '';
  const ended = readGuardEnd(exit, 'said' in meaning ? meaning.said : complaint);
  const outcome = ended !== null && ended.kind !== 'timeout' ? ended : exitedOutcome(cli, complaint);
  // A CLI that was ended while it waited for a limit has said which.
  if (ended !== null) return outcome.kind === 'usage_limit' || outcome.kind === 'rate_limited' ? outcome : ended;
  // What is missing may be what the disk had no room for.
  if (outcome.kind === 'hard' && exit.diskFull === true)
    return { kind: 'transient', why: why('the disk was full', outcome.why) };
  return outcome;
}

function exitedOutcome(cli: CliTurn, complaint: string): TurnOutcome {
  const { exit, meaning } = cli;
  switch (meaning.kind) {
    case 'success':
      if (exit.exitCode === 0 && exit.signal === null) return { kind: 'done' };
      return { kind: 'hard', why: why(`the agent told a success and ${endOf(exit)}`, complaint) };
    case 'usage_limit':
      return {
        kind: 'usage_limit',
        why: why(factOf(meaning.kind), meaning.said),
        until: untilOf(meaning.untilMs, exit),
      };
    case 'rate_limited':
      return rateLimited(cli, meaning);
    case 'unknown_conversation':
      return {
        kind: 'transient',
        why: why('the agent does not know the earlier conversation', meaning.said),
        fresh: true,
      };
    case 'login':
      return {
        kind: 'hard',
        why: why(`the agent's login is missing or refused; log in with: ${cli.login}`, meaning.said),
      };
    case 'overflow':
      return overflow(cli.turn, meaning.said);
    case 'needs_input':
      return { kind: 'needs_input', why: why('the agent asks', meaning.said) };
    case 'told':
      return phraseOutcome(cli, [meaning.said]) ?? { kind: 'hard', why: why('the agent failed', meaning.said) };
    case 'unfinished':
      return unfinished(cli, complaint);
    default:
      return { kind: meaning.kind, why: why(factOf(meaning.kind), meaning.said) };
  }
}

/** The limit of a plan comes with the same status, and its words tell which it is. */
function rateLimited(cli: CliTurn, { said, afterMs }: Extract<Meaning, { kind: 'rate_limited' }>): TurnOutcome {
  // The words of the provider stand behind those of the CLI.
  const told = phraseOutcome(cli, [...said.split(' · '), said]);
  if (told?.kind === 'usage_limit') return told;
  const delay = afterMs ?? (told?.kind === 'rate_limited' ? told.afterMs : null);
  return { kind: 'rate_limited', why: why(factOf('rate_limited'), said), afterMs: delay };
}

/** Of a conversation that went on the conversation may be what is too long: a new one has only the prompt. */
function overflow(turn: TurnRequest, said: string): TurnOutcome {
  if (turn.resume !== null)
    return { kind: 'transient', why: why('the conversation is too long for the agent', said), fresh: true };
  return { kind: 'overflow', why: why('the prompt is too long for the agent', said) };
}

function unfinished(cli: CliTurn, complaint: string): TurnOutcome {
  const { exit, tooLong, stderr } = cli;
  const known = exit.exitCode === 0 ? null : phraseOutcome(cli, stderr);
  if (known !== null) return known;
  const unread = tooLong === 0 ? '' : ` (${tooLong} of its lines were too long to read)`;
  return { kind: 'hard', why: why(`the agent ${endOf(exit)} without its final event${unread}`, complaint) };
}

/** Null: no phrase is known. */
function phraseOutcome(cli: CliTurn, lines: readonly string[]): TurnOutcome | null {
  const { exitCode, endedAt } = cli.exit;
  const failure = classifyFailure({ exitCode, stderr: lines, stdout: [], now: new Date(endedAt) });
  const said = failure.said ?? '';
  switch (failure.kind) {
    case 'usage_limit':
      return { kind: failure.kind, why: why(factOf(failure.kind), said), until: failure.until };
    case 'rate_limited':
      return { kind: failure.kind, why: why(factOf(failure.kind), said), afterMs: failure.afterMs };
    case 'overflow':
      return overflow(cli.turn, said);
    case 'hard':
      return null;
    default:
      return { kind: failure.kind, why: why(factOf(failure.kind), said) };
  }
}

function factOf(kind: TurnOutcomeKind): string {
  return TURN_OUTCOMES[kind].fact ?? 'the agent failed';
}

/** A time in the past, or further ahead than any limit lasts, says nothing. */
function untilOf(untilMs: number | null, { endedAt }: AgentExit): string | null {
  if (untilMs === null) return null;
  const ahead = untilMs - Date.parse(endedAt);
  return ahead > 0 && ahead <= MAX_UNTIL_MS ? new Date(untilMs).toISOString() : null;
}

function endOf({ exitCode, signal }: AgentExit): string {
  if (signal !== null) return `died of signal ${signal}`;
  return exitCode === null ? 'ended without an exit code' : `exited with code ${exitCode}`;
}
