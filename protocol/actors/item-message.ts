/** What anybody can send to an item, read by hand. Pure. */
import { MAX_ANSWER_CHARS } from '../admission/clarify-text.js';
import { MAX_QUESTIONS } from '../admission/classifier-answer.js';
import type { MessageReading } from '../messages/run-message.js';
import { RUN_CHANGED_SIGNAL } from '../names.js';
import { RUN_WORDS } from '../run/run-word.js';
import { type Fields, fieldsOf, nameIn, namesIn, textIn, wholeIn, wordIn } from '../text/fields.js';
import {
  DEPENDENCY_FAILED_SIGNAL,
  HEAD_STATES,
  ITEM_UPDATES,
  type ItemChanges,
  type ItemMessage,
  LANDING_CHANGED_SIGNAL,
  LOST_BY,
  MAX_NOTE_CHARS,
  REPORT_SIGNAL,
  SLOT_GRANTED_SIGNAL,
} from './item.js';
import { type ApproveWord, PLAN_CHOICES, SAID_AS } from './item-admission.js';
import { whyNoDependencies, whyNoFiles, whyNoPriority } from './task-links.js';

export function readItemMessage(name: string, argument: unknown): MessageReading<ItemMessage> {
  const message = messageOf(name, argument);
  if (typeof message === 'string') return { kind: 'bad', why: message };
  return message === null ? { kind: 'bad', why: `the argument of ${name} cannot be read` } : { kind: 'ok', message };
}

/** A text: what is wrong with it. */
function messageOf(name: string, argument: unknown): ItemMessage | string | null {
  // A list is what the worker makes of a payload that cannot be read.
  if (Array.isArray(argument)) return null;
  const fields = fieldsOf(argument);
  const word = ITEM_UPDATES.find((known) => known === name);
  if (word !== undefined) {
    const note = textIn(fields, 'note') ?? textIn(fields, 'reason');
    const as = wordIn(fields, 'as', SAID_AS);
    const said = {
      by: textIn(fields, 'by'),
      note: note?.slice(0, MAX_NOTE_CHARS) ?? null,
      ...(as === null ? {} : { as }),
    };
    if (word === 'approve') return approvalIn(fields, said);
    if (word === 'answer') return answersIn(fields, said);
    if (word !== 'set') return { kind: word, ...said };
    const changes = changesIn(fields);
    return typeof changes === 'string' ? changes : { kind: word, ...said, changes };
  }
  if (name === SLOT_GRANTED_SIGNAL) {
    const [version, at] = [wholeIn(fields, 'version'), wholeIn(fields, 'at')];
    const behind = namesIn(fields, 'behind');
    return version === null || at === null ? null : { kind: name, version, at, behind };
  }
  if (name === DEPENDENCY_FAILED_SIGNAL) {
    const id = nameIn(fields, 'id');
    return id === null ? null : { kind: name, id, reason: wordIn(fields, 'reason', LOST_BY) };
  }
  if (name === REPORT_SIGNAL) return { kind: name, known: wholeIn(fields, 'known') ?? 0 };
  const runId = nameIn(fields, 'runId');
  if (name === LANDING_CHANGED_SIGNAL) {
    const head = wordIn(fields, 'state', HEAD_STATES);
    return runId === null || head === null ? null : { kind: name, runId, state: head };
  }
  const state = wordIn(fields, 'state', RUN_WORDS);
  return name !== RUN_CHANGED_SIGNAL || runId === null || state === null ? null : { kind: name, runId, state };
}

type Said = Pick<ApproveWord, 'by' | 'note' | 'as'>;

/** A text: what is wrong with it. */
function approvalIn(fields: Fields, said: Said): ItemMessage | string {
  const [planHash, choice] = [textIn(fields, 'planHash'), wordIn(fields, 'choice', PLAN_CHOICES)];
  if (textIn(fields, 'choice') !== null && choice === null)
    return `approve.choice must be one of ${PLAN_CHOICES.join(', ')}`;
  return { kind: 'approve', ...said, planHash, choice };
}

/** A text: what is wrong with it. How many there must be is known where the questions are. */
function answersIn(fields: Fields, said: Said): ItemMessage | string {
  const [round, answers] = [wholeIn(fields, 'round'), fields['answers']];
  if (round === null) return 'answer.round must be the number of the round whose questions are answered';
  const texts = Array.isArray(answers) ? answers.filter((one): one is string => typeof one === 'string') : [];
  if (!Array.isArray(answers) || texts.length !== answers.length || texts.length > MAX_QUESTIONS)
    return `answer.answers must be a list of at most ${MAX_QUESTIONS} texts, one for each question`;
  if (texts.some((text) => text.length > MAX_ANSWER_CHARS))
    return `each of answer.answers has at most ${MAX_ANSWER_CHARS} characters; what is longer belongs into a file of the repository`;
  return { kind: 'answer', ...said, round, answers: texts };
}

const SET_FIELDS: readonly string[] = ['as', 'by', 'note', 'reason', 'requestId', 'priority', 'dependsOn', 'files'];

/** A text: what is wrong with it. */
function changesIn(fields: Fields): ItemChanges | string {
  const unknown = Object.keys(fields).find((field) => !SET_FIELDS.includes(field));
  if (unknown !== undefined)
    return `"${unknown.slice(0, 60)}" is not a field of set; known are ${SET_FIELDS.join(', ')}`;
  const { priority, dependsOn, files } = fields;
  if (priority === undefined && dependsOn === undefined && files === undefined)
    return 'set must say at least one of priority, dependsOn, files';
  const noPriority = priority === undefined ? null : whyNoPriority(priority);
  if (noPriority !== null) return `set.priority ${noPriority}`;
  // It stands in no list, so no place can be meant.
  const noDependencies = dependsOn === undefined ? null : whyNoDependencies(dependsOn, 0);
  if (noDependencies !== null) return `set.dependsOn ${noDependencies}`;
  const noFiles = files === undefined ? null : whyNoFiles(files);
  if (noFiles !== null) return `set.files ${noFiles}`;
  return {
    ...(typeof priority === 'number' ? { priority } : {}),
    ...(dependsOn === undefined ? {} : { dependsOn: namesIn(fields, 'dependsOn') }),
    ...(files === undefined ? {} : { files: namesIn(fields, 'files') }),
  };
}
