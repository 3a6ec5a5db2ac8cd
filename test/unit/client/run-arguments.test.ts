import { describe, expect, it } from '@jest/globals';
import { checkRunId, checkTask, checkTitle, programOf } from '../../../client/cli/start/run-arguments.js';
import { MAX_TASK_BYTES } from '../../../protocol/limits.js';
import { formatRefusal, RefusedError } from '../../../protocol/text/refusal.js';

const refusalOf = (check: () => unknown): RefusedError => {
  try {
    check();
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('the arguments of a run', () => {
  it.each([
    ['an empty task', () => checkTask('  \n'), 'the task is empty'],
    [
      'a task that is too long',
      () => checkTask('é'.repeat(MAX_TASK_BYTES / 2 + 1)),
      `the task has ${MAX_TASK_BYTES + 2} bytes`,
    ],
    ['a run id that leaves the folder', () => checkRunId('../x'), '--run-id is "../x"'],
    ['a run id of 81 characters', () => checkRunId('a'.repeat(81)), '--run-id is'],
    ['a run id that git takes for a lock', () => checkRunId('main.lock'), '--run-id is "main.lock"'],
    ['a title of two lines', () => checkTitle('a\nb'), '--title is'],
    [
      '--agent command without a program',
      () => programOf({ agent: 'command', program: [] }, 'run'),
      '--agent command names no program',
    ],
    [
      'a program for another agent',
      () => programOf({ agent: 'main', program: ['cat'] }, 'run'),
      '"cat" stands behind "--"',
    ],
    ['a program for no agent', () => programOf({ agent: undefined, program: ['cat'] }, 'init'), 'no agent is named'],
  ])('refuses %s in four parts with exit code 1', (_, check, what) => {
    const error = refusalOf(check);

    expect(error.parts.what).toContain(what);
    expect(error.exitCode).toBe(1);
    expect(formatRefusal(error.parts).split('\n')).toHaveLength(4);
    expect(formatRefusal(error.parts)).toContain('Nothing was started.');
  });

  it('takes a task of exactly the longest length', () => {
    expect(checkTask('a'.repeat(MAX_TASK_BYTES))).toHaveLength(MAX_TASK_BYTES);
  });

  it('keeps the program behind the dashes as it is', () => {
    expect(programOf({ agent: 'command', program: ['my agent', '--flag', '--', 'a b'] }, 'run')).toEqual([
      'my agent',
      '--flag',
      '--',
      'a b',
    ]);
  });

  it('lets no control sequence of an argument into the message', () => {
    const { what } = refusalOf(() => checkRunId('a\u001b[31mb')).parts;

    expect(what).not.toContain('\u001b');
  });
});
