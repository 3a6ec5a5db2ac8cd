/**
 * What a run left for people to read, part by part, from its folder: what `sluice show` prints and what a gate shows. Files are only shown, never
 * obeyed: anybody may have written them, so every name inside them is looked at before it is followed.
 */
import { join } from 'node:path';
import type { CommandResult } from '../../protocol/run/outcomes.js';
import { STAGE_ROWS, type Stage, type TurnStage } from '../../protocol/run/stages.js';
import { isRecord, parseRecord } from '../../protocol/text/json.js';
import { findingsSection, readReviewText, type ShownReview } from '../../protocol/views/review-text.js';
import { elapsed } from '../views/waiting-text.js';
import type { RunPart } from './part-names.js';
import { readRunFile, readTaskResult, turnFoldersOf } from './read-run-file.js';

export interface AskedPart {
  readonly runDir: string;
  /** Of a prompt or an output; null: of the last turn. */
  readonly stage?: TurnStage | null;
  /** Of what is said again in each round; null: the last one. */
  readonly round?: number | null;
}

/** Null where the run left no such part, or its files cannot be read. */
export async function readPart(part: RunPart, asked: AskedPart): Promise<string | null> {
  switch (part) {
    case 'plan':
      return readRunFile(join(asked.runDir, leftBy('planning')));
    case 'architecture':
      return readRunFile(join(asked.runDir, leftBy('architecting')));
    case 'report':
      return readRunFile(join(asked.runDir, 'report.md'));
    case 'result':
      return readTaskResult(asked.runDir);
    case 'review':
      return readRound(asked, leftBy('reviewing'));
    case 'responses':
      return readRound(asked, leftBy('fixing'));
    case 'verification':
      return readRound(asked, leftBy('verifying'));
    case 'findings':
      return readFindings(asked);
    case 'checks':
      return checksText(asked);
    case 'prompt':
    case 'output':
      return readTurn(asked, `${part}.md`);
  }
}

/** A command of the checks, as far as it is shown. */
export interface ShownCheck extends Pick<CommandResult, 'command' | 'status' | 'durationMs' | 'failedOnBase'> {
  readonly outputs: readonly string[];
}

export interface ShownChecks {
  readonly round: number;
  readonly commit: string;
  readonly commands: readonly ShownCheck[];
}

export async function readChecks(asked: AskedPart): Promise<ShownChecks | null> {
  const report = parseRecord((await readRound(asked, leftBy('validating'))) ?? '');
  if (report === null) return null;
  const { round, commit, commands } = report;
  if (typeof round !== 'number' || typeof commit !== 'string' || !Array.isArray(commands)) return null;
  return { round, commit, commands: commands.flatMap(checkIn) };
}

/** `npm test failed, 0:12`. */
export function checkText({ command, status, durationMs, failedOnBase }: ShownCheck): string {
  return `${command}  ${CHECK_WORDS[status]}${failedOnBase ? ', as on the base' : ''}, ${elapsed(durationMs)}`;
}

export async function readReview(asked: AskedPart): Promise<ShownReview | null> {
  const text = await readRound(asked, leftBy('reviewing'));
  return text === null ? null : readReviewText(text);
}

const CHECK_WORDS = {
  passed: 'passed',
  failed: 'failed',
  environment: 'could not be run',
} as const satisfies Readonly<Record<CommandResult['status'], string>>;

async function readFindings(asked: AskedPart): Promise<string | null> {
  const review = await readRound(asked, leftBy('reviewing'));
  return review === null ? null : findingsSection(review);
}

function leftBy(stage: Stage): string {
  return STAGE_ROWS[stage].leaves.file;
}

function readRound({ runDir, round = null }: AskedPart, file: string): Promise<string | null> {
  return readRunFile(round === null ? join(runDir, file) : join(runDir, 'rounds', String(round), file));
}

async function readTurn({ runDir, stage = null, round = null }: AskedPart, file: string): Promise<string | null> {
  const folders = (await turnFoldersOf(runDir)).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const turns = stage === null ? folders : folders.filter((name) => name.endsWith(`-${stage}`));
  for (const name of turns.toReversed()) {
    if (round !== null && (await roundOf(join(runDir, 'turns', name))) !== round) continue;
    const text = await readRunFile(join(runDir, 'turns', name, file));
    // A turn that is still at work has neither.
    if (text !== null) return text;
  }
  return null;
}

async function roundOf(folder: string): Promise<unknown> {
  return parseRecord((await readRunFile(join(folder, 'turn.json'))) ?? '')?.['round'];
}

/** What each command came to, and the output of those that are red. */
async function checksText(asked: AskedPart): Promise<string | null> {
  const checks = await readChecks(asked);
  if (checks === null) return null;
  const heads = checks.commands.map((check) => `- ${checkText(check)}`);
  const red = checks.commands.filter(({ status }) => status !== 'passed');
  const outputs = await Promise.all(red.map((check) => outputOf(asked.runDir, check)));
  const none = checks.commands.length === 0 ? ['No checks are configured.'] : [];
  return [`# Checks, round ${checks.round}, of ${checks.commit}`, ...none, ...heads, ...outputs, ''].join('\n');
}

async function outputOf(runDir: string, { command, outputs }: ShownCheck): Promise<string> {
  const texts = await Promise.all(outputs.map((path) => readRunFile(join(runDir, path))));
  const told = texts.flatMap((text) => (text === null || text.trim() === '' ? [] : [text.trimEnd()]));
  return [`\n## ${command}\n`, ...(told.length === 0 ? ['It printed nothing.'] : told)].join('\n');
}

function checkIn(value: unknown): readonly ShownCheck[] {
  if (!isRecord(value)) return [];
  const { command, status, durationMs, failedOnBase, stdoutPath, stderrPath } = value;
  if (typeof command !== 'string' || !isCheckStatus(status)) return [];
  const outputs = [stdoutPath, stderrPath].filter((path) => typeof path === 'string' && OUTPUT_PATH.test(path));
  return [
    {
      command,
      status,
      failedOnBase: failedOnBase === true,
      outputs: outputs.map(String),
      durationMs: typeof durationMs === 'number' ? durationMs : 0,
    },
  ];
}

const OUTPUT_PATH = /^validation\/\d+-\d+\.(?:stdout|stderr)\.txt$/;

function isCheckStatus(value: unknown): value is CommandResult['status'] {
  return typeof value === 'string' && Object.hasOwn(CHECK_WORDS, value);
}
