/** The page of the start input: every field, and an example that is one. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MAX_TASK_BYTES } from '../../../protocol/limits.js';
import { checkRunInput } from '../../../protocol/messages/run-input.js';

const PAGE = readFileSync('docs/start-input.md', 'utf8');

describe('docs/start-input.md', () => {
  it('has a row of every field and of no other', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field ?? '');
    const check = checkRunInput({ nothing: 1 });
    const known = check.kind === 'bad' ? check.message.replace(/^.*known are /, '').split(', ') : [];

    expect(rows.toSorted()).toEqual(known.toSorted());
  });

  it('has an example that is taken', () => {
    const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '');

    expect(checkRunInput(example)).toMatchObject({ kind: 'ok', input: example });
  });

  it('names the largest task', () => {
    expect(PAGE).toContain(`at most ${MAX_TASK_BYTES / 1024} KiB`);
  });
});
