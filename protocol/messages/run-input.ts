/** The hand-written check of a run's start input: runs in the workflow, where no schema library may be loaded, and in the client. */

import { MAX_TASK_BYTES, MAX_TITLE_CHARS } from '../limits.js';
import { isRecord } from '../text/json.js';
import type { RunInput } from './messages.js';
import { checkRewind } from './rewind-input.js';
import { RUN_ITEM_RULE, readRunItem } from './run-item.js';

export type InputCheck =
  | { readonly kind: 'ok'; readonly input: RunInput }
  | { readonly kind: 'bad'; readonly field: string; readonly message: string };

const TEXT_FIELDS = ['title', 'base', 'host', 'preset', 'commandHash', 'configHash', 'owner'] as const;
const FIELDS: readonly string[] = ['task', 'repo', 'policy', 'attended', 'rewind', 'item', ...TEXT_FIELDS];

export function checkRunInput(value: unknown): InputCheck {
  if (!isRecord(value)) {
    return bad('input', 'the start input must be an object like {"task":"…","repo":"/path/to/repository"}');
  }
  const unknown = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) {
    return bad(
      unknown.slice(0, 60),
      `"${unknown.slice(0, 60)}" is not a field of the start input; known are ${FIELDS.join(', ')}`,
    );
  }
  const { task, repo, policy } = value;
  if (typeof task !== 'string' || task.trim() === '') {
    return bad('task', 'task must be a text that says what to do');
  }
  if (utf8Length(task) > MAX_TASK_BYTES) {
    return bad(
      'task',
      `task has ${utf8Length(task)} bytes; at most ${MAX_TASK_BYTES} are taken. Put long material into a file of the repository and name it`,
    );
  }
  if (typeof repo !== 'string' || !repo.startsWith('/') || repo.includes('\0') || repo.length > 4096) {
    return bad('repo', 'repo must be the absolute path of a git repository on the host');
  }
  const wrong = TEXT_FIELDS.find((field) => !isText(value[field]));
  if (wrong !== undefined) return bad(wrong, `${wrong} must be a text of 1 to 1000 characters, or be left out`);
  if (policy !== undefined && !isRecord(policy)) {
    return bad('policy', 'policy must be an object in the shape of a config file, or be left out');
  }
  const { attended, rewind } = value;
  if (attended !== undefined && typeof attended !== 'boolean')
    return bad('attended', 'attended must be true or false, or be left out');
  const source = rewind === undefined ? null : checkRewind(rewind);
  if (source?.kind === 'bad') return bad('rewind', source.message);
  const item = readRunItem(value['item'] ?? null);
  if (item === 'bad') return bad('item', `item is what an item starts its runs with: ${RUN_ITEM_RULE}; or left out`);
  return {
    kind: 'ok',
    input: {
      ...narrowed(value, task, repo),
      ...(attended === undefined ? {} : { attended }),
      ...(source === null ? {} : { rewind: source.rewind }),
      ...(item === null ? {} : { item }),
    },
  };
}

function isText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value !== '' && value.length <= 1000);
}

/** First line of the task, or the given title, as one short line. */
export function titleOf({ title, task }: Pick<RunInput, 'title' | 'task'>): string {
  const line = (title ?? task).trim().split(/[\r\n]/, 1)[0] ?? '';
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

/** What a list shows of a run until it is open. */
export function memoOfStart(input: RunInput): Readonly<Record<'title' | 'repo', string>> & Pick<RunInput, 'owner'> {
  return { title: titleOf(input), repo: input.repo, ...(input.owner === undefined ? {} : { owner: input.owner }) };
}

function narrowed(value: Record<string, unknown>, task: string, repo: string): RunInput {
  const texts = Object.fromEntries(
    TEXT_FIELDS.filter((field) => typeof value[field] === 'string').map((field) => [field, value[field]]),
  );
  return { ...texts, task, repo, ...(isRecord(value['policy']) ? { policy: value['policy'] } : {}) };
}

function bad(field: string, message: string): InputCheck {
  return { kind: 'bad', field, message };
}

/** The workflow sandbox has no Buffer. */
function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
