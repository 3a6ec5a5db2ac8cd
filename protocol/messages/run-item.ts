/** What an item says of itself when it starts a run, read by hand: anybody can start one. Pure. */
import { type ClarifyRound, MAX_CLARIFY_ROUNDS } from '../admission/clarify-text.js';
import { ONE_STEP } from '../admission/plan-steps.js';
import { isRunId } from '../run/run-id.js';
import { type Fields, fieldsOf, nameIn, namesIn } from '../text/fields.js';
import type { RunItem } from './messages.js';

export const RUN_ITEM_RULE =
  '{"id":"…","hash":"…"} and, where it begins behind others, the ids of their runs, "behind":["…"]; "tellsReview":true; the hash of its plan or one_step, "plan":"…"; what people answered, "rounds":[{"questions":["…"],"answers":["…"]}]';

const KNOWN: readonly string[] = ['id', 'hash', 'behind', 'tellsReview', 'plan', 'rounds'];

export function readRunItem(value: unknown): RunItem | null | 'bad' {
  if (value === null) return null;
  const fields = fieldsOf(value);
  const [id, hash, plan] = [nameIn(fields, 'id'), nameIn(fields, 'hash'), nameIn(fields, 'plan')];
  const { behind: given, tellsReview } = fields;
  const behind = namesIn(fields, 'behind');
  const rounds = roundsIn(fields);
  if (id === null || hash === null || Object.keys(fields).some((field) => !KNOWN.includes(field))) return 'bad';
  if (tellsReview !== undefined && tellsReview !== true) return 'bad';
  // They are names of folders.
  if (given !== undefined && (behind.length === 0 || !behind.every(isRunId))) return 'bad';
  if (rounds === 'bad' || (fields['plan'] !== undefined && (plan === null || !isPlan(plan)))) return 'bad';
  return {
    id,
    hash,
    ...(given === undefined ? {} : { behind }),
    ...(tellsReview === undefined ? {} : { tellsReview: true as const }),
    ...(plan === null ? {} : { plan }),
    ...(rounds.length === 0 ? {} : { rounds }),
  };
}

function isPlan(plan: string): boolean {
  return plan === ONE_STEP || /^[0-9a-f]{64}$/.test(plan);
}

function roundsIn({ rounds }: Fields): readonly ClarifyRound[] | 'bad' {
  if (rounds === undefined) return [];
  if (!Array.isArray(rounds) || rounds.length > MAX_CLARIFY_ROUNDS) return 'bad';
  const read = rounds.map((round) => {
    const { questions, answers } = fieldsOf(round);
    return isTexts(questions) && isTexts(answers) && questions.length === answers.length
      ? { questions, answers }
      : null;
  });
  return read.every((round) => round !== null) ? read : 'bad';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
