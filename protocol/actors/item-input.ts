/** What an item is started with, read by hand: anybody can start one. Pure. */
import { DEFAULT_BACKLOG, SLOT_ENDS } from '../run/backlog-policy.js';
import { amountIn, type Fields, fieldsOf, nameIn, namesIn, textIn, timeIn, wordIn } from '../text/fields.js';
import {
  ITEM_DRIVERS,
  ITEM_REASONS,
  ITEM_STATES,
  type ItemInput,
  type ItemTransition,
  itemOfWorkflow,
  type RunAgain,
} from './item.js';
import { ACTOR_KINDS, readItemAdmission } from './item-admission.js';
import { isItemId } from './item-id.js';
import { readTaskDedup } from './task-dedup.js';
import { TASK_KINDS } from './task-links.js';

/** Null: it is none of that workflow; anybody can start one by hand. */
export function readItemInput(input: unknown, workflowId: string): ItemInput | null {
  const ref = itemOfWorkflow(workflowId);
  const fields = fieldsOf(input);
  const [key, host, repo, repoKey] = ['key', 'host', 'repo', 'repoKey'].map((field) => nameIn(fields, field));
  const [title, hash, createdAt] = [textIn(fields, 'title'), nameIn(fields, 'hash'), timeIn(fields, 'createdAt')];
  if (ref === null || key == null || host == null || repo == null || repoKey == null) return null;
  if (title === null || hash === null || createdAt === null) return null;
  const gate = wordIn(fields, 'gate', ['start']);
  const admission = readItemAdmission(fields['admission']);
  if (admission === 'unreadable') return null;
  const dedup = readTaskDedup(fields['dedup']);
  const attended = fields['attended'] === true;
  const priority = typeof fields['priority'] === 'number' ? fields['priority'] : 0;
  return {
    ...ref,
    key,
    host,
    repo,
    repoKey,
    title,
    hash,
    attended,
    priority,
    dependsOn: namesIn(fields, 'dependsOn').filter(isItemId),
    files: namesIn(fields, 'files'),
    kind: wordIn(fields, 'kind', TASK_KINDS) ?? 'change',
    gate,
    admission,
    ...(dedup === null ? {} : { dedup }),
    parkedDays: amountIn(fields, 'parkedDays') ?? DEFAULT_BACKLOG.parkedDays,
    slotUntil: wordIn(fields, 'slotUntil', SLOT_ENDS) ?? DEFAULT_BACKLOG.slotUntil,
    createdAt,
    by: textIn(fields, 'by'),
    again: againIn(fieldsOf(fields['again'])),
  };
}

function againIn(fields: Fields): RunAgain | null {
  const [key, runs, at] = [nameIn(fields, 'key'), amountIn(fields, 'runs'), timeIn(fields, 'at')];
  if (key === null || runs === null || at === null) return null;
  const closed = readTransition(fields['closed']);
  return {
    key,
    runs,
    at,
    by: textIn(fields, 'by'),
    note: textIn(fields, 'note'),
    ...(fields['force'] === true ? { force: true } : {}),
    ...(closed === null ? {} : { closed }),
  };
}

/** Null: it is none. Of another execution, which may be of an older engine. */
export function readTransition(value: unknown): ItemTransition | null {
  const fields = fieldsOf(value);
  const [at, to, driver] = [
    timeIn(fields, 'at'),
    wordIn(fields, 'to', ITEM_STATES),
    wordIn(fields, 'driver', ITEM_DRIVERS),
  ];
  if (at === null || to === null || driver === null) return null;
  const said = fieldsOf(fields['decided']);
  const as = wordIn(said, 'as', ACTOR_KINDS);
  return {
    at,
    from: wordIn(fields, 'from', ITEM_STATES),
    to,
    reason: wordIn(fields, 'reason', ITEM_REASONS),
    driver,
    actor: textIn(fields, 'actor'),
    note: textIn(fields, 'note'),
    ...(as === null ? {} : { decided: { as, plan: nameIn(said, 'plan') } }),
  };
}
