/** What a backlog can be handed, good and bad. */
import { describe, expect, it } from '@jest/globals';
import { MAX_DESCRIPTION_BYTES, readBacklogMessage } from '../../../protocol/actors/backlog.js';

const CREATE = { key: 'k', repo: '/shop', host: 'h1', by: 'ann' };

function whyNot(argument: unknown): string {
  const reading = readBacklogMessage('create', argument);
  return reading.kind === 'bad' ? reading.why : 'taken';
}

const one = (task: unknown) => whyNot({ ...CREATE, tasks: [task] });

describe('a create', () => {
  it('takes 4096 bytes of UTF-8, and not one more', () => {
    const two = 'é'.repeat(MAX_DESCRIPTION_BYTES / 2);

    expect(one({ task: two })).toBe('taken');
    expect(one({ task: `${two}a` })).toBe(
      'create.tasks[0].task has 4097 bytes; at most 4096 are taken. Put long material into a file of the repository and name it',
    );
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['control characters alone', '\u0001\u0002\u200b'],
    ['no text', 7],
  ])('refuses a task that is %s', (_what, task) => {
    expect(one({ task })).toBe('create.tasks[0].task must say what to do');
  });

  it('refuses what is no Unicode', () => {
    expect(one({ task: 'a\ud800b' })).toContain('half of a surrogate pair');
  });

  it.each([
    [{ task: 'a', colour: 'red' }, '"colour" is not a field of a task'],
    [{ task: 'a', priority: Number.NaN }, 'priority must be an integer'],
    [{ task: 'a', priority: 1.5 }, 'priority must be an integer'],
    [{ task: 'a', gate: 'plan' }, 'gate must be start'],
    [{ task: 'a', repo: '/other' }, '"repo" is not a field of a task'],
    [{ task: 'a', policy: 'x' }, 'policy must be an object'],
    ['a', 'must be an object like {"task":"…"}'],
    [null, 'must be an object like {"task":"…"}'],
  ])('refuses the task %j', (task, why) => {
    expect(one(task)).toContain(why);
  });

  it.each([
    [{ tasks: [] }, 'a list of 1 to 100 tasks; it has 0'],
    [{ tasks: Array.from({ length: 101 }, () => ({ task: 'a' })) }, 'a list of 1 to 100 tasks; it has 101'],
    [{ tasks: 'a' }, 'a list of 1 to 100 tasks'],
    [{ tasks: Array.from({ length: 100 }, () => ({ task: 'a'.repeat(2_000) })) }, 'at most 196608 bytes'],
    [{ key: '' }, 'create.key must be a text'],
    [{ repo: 'shop' }, 'create.repo must be the absolute path'],
    [{ host: undefined }, 'create.host must be the id of a host'],
    [{ colour: 1 }, '"colour" is not a field of create'],
  ])('refuses the list %#', (part, why) => {
    expect(whyNot({ ...CREATE, tasks: [{ task: 'a' }], ...part })).toContain(why);
  });

  it.each([[[1]], ['a'], [null], [undefined]])('refuses %j', (argument) => {
    expect(whyNot(argument)).not.toBe('taken');
  });
});
