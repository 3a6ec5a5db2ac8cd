import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_BATCH_BYTES } from '../../../protocol/actors/batch.js';
import { MAX_BATCH_TASKS } from '../../../protocol/limits.js';
import { isRunId } from '../../../protocol/run/run-id.js';
import { shortHash } from '../../../protocol/text/short-hash.js';
import { batchIdOf, canonicalJson, checkBatchInput, planTasks } from '../../../workflows/batch/batch-tasks.js';

const REPO = '/repository';

function tasksOf(value: unknown) {
  const check = checkBatchInput(value);
  if (check.kind === 'bad') throw new Error(check.message);
  return check.tasks;
}

describe('the start input of a batch', () => {
  it('fills in the defaults, lets a task say otherwise, and runs unattended, two at once', () => {
    const defaults = { repo: REPO, base: 'main' };
    const check = checkBatchInput({
      defaults,
      tasks: [{ task: 'one' }, { task: 'two', base: 'next', attended: true }],
    });

    expect(check).toEqual({
      kind: 'ok',
      concurrency: 2,
      to: 'runs',
      tasks: [
        { input: { task: 'one', repo: REPO, base: 'main', attended: false }, terms: {} },
        { input: { task: 'two', repo: REPO, base: 'next', attended: true }, terms: {} },
      ],
    });
  });

  it('hands to a backlog what a task says of its place among others, which is no part of what names the task', () => {
    const said = { task: 'one', repo: REPO };
    const terms = { priority: 5, gate: 'start', kind: 'answer', files: ['src/**'], dependsOn: ['3'] };
    const [plain, placed] = [said, { ...said, ...terms }].map((task) => tasksOf({ to: 'backlog', tasks: [task] }));

    expect(placed).toEqual([{ input: { ...said, attended: false }, terms }]);
    expect(planTasks('nightly', placed ?? [])[0]?.runId).toBe(planTasks('nightly', plain ?? [])[0]?.runId);
    expect(tasksOf({ to: 'backlog', defaults: { repo: REPO, gate: 'start' }, tasks: [{ task: 'one' }] })).toMatchObject(
      [{ terms: { gate: 'start' } }],
    );
  });

  it.each([
    ['tasks[0].priority', { to: 'backlog', tasks: [{ task: 'one', repo: REPO, priority: 'high' }] }],
    ['tasks[0].dependsOn', { to: 'backlog', tasks: [{ task: 'one', repo: REPO, dependsOn: ['#1'] }] }],
    ['defaults.files', { to: 'backlog', tasks: [{ task: 'one', repo: REPO }], defaults: { files: ['../x'] } }],
    // It runs now.
    ['tasks[0].priority', { tasks: [{ task: 'one', repo: REPO, priority: 1 }] }],
    ['tasks[0].files', { to: 'runs', tasks: [{ task: 'one', repo: REPO, files: [] }] }],
  ])('refuses what is no place among others, or where there is none: %s', (field, value) => {
    expect(checkBatchInput(value)).toMatchObject({ kind: 'bad', field });
  });

  it.each([
    ['input', null],
    ['input', 'a list'],
    ['tasks', {}],
    ['tasks', { tasks: [] }],
    ['tasks', { tasks: { task: 'one' } }],
    ['tasks', { tasks: Array.from({ length: MAX_BATCH_TASKS + 1 }, () => ({ task: 'one', repo: REPO })) }],
    ['tasks[0]', { tasks: ['one'] }],
    ['tasks[1].repo', { tasks: [{ task: 'one', repo: REPO }, { task: 'two' }] }],
    ['tasks[0].repo', { tasks: [{ task: 'one', repo: 'relative' }] }],
    ['tasks[0].task', { tasks: [{ task: ' ', repo: REPO }] }],
    ['tasks[0].colour', { tasks: [{ task: 'one', repo: REPO, colour: 'red' }] }],
    ['defaults.repo', { tasks: [{ task: 'one' }], defaults: { repo: 7 } }],
    ['defaults', { tasks: [{ task: 'one', repo: REPO }], defaults: [] }],
    ['concurrency', { tasks: [{ task: 'one', repo: REPO }], concurrency: 0 }],
    ['concurrency', { tasks: [{ task: 'one', repo: REPO }], concurrency: 51 }],
    ['concurrency', { tasks: [{ task: 'one', repo: REPO }], concurrency: 1.5 }],
    ['limit', { tasks: [{ task: 'one', repo: REPO }], limit: 2 }],
  ])('refuses, and names %s', (field, value) => {
    expect(checkBatchInput(value)).toMatchObject({ kind: 'bad', field });
    expect(checkBatchInput(value)).toHaveProperty(
      'message',
      expect.stringContaining(field.replace('input', 'start input')),
    );
  });

  it('refuses defaults that would make the whole too large for one call of the server', () => {
    const defaults = { repo: REPO, policy: { text: 'x'.repeat(MAX_BATCH_BYTES / 100) } };

    expect(
      checkBatchInput({ defaults, tasks: Array.from({ length: 100 }, (_, n) => ({ task: `${n}` })) }),
    ).toMatchObject({
      field: 'tasks',
    });
  });
});

describe('the run ids of a batch', () => {
  it('are the same for the same task, whatever the order of its fields, its place in the list, host or config', () => {
    const [first] = planTasks('nightly', tasksOf({ tasks: [{ task: 'one', repo: REPO, policy: { a: 1, b: 2 } }] }));
    const [, again] = planTasks(
      'nightly',
      tasksOf({
        tasks: [
          { task: 'two', repo: REPO },
          { policy: { b: 2, a: 1 }, repo: REPO, task: 'one', host: 'h', configHash: 'c' },
        ],
      }),
    );

    expect(again?.runId).toBe(first?.runId);
    expect(first?.runId).toMatch(/^nightly-[0-9a-f]{8}$/);
  });

  it('name the earlier entry of a task that stands twice', () => {
    const planned = planTasks(
      'nightly',
      tasksOf({ tasks: ['one', 'two', 'one', 'one'].map((task) => ({ task, repo: REPO })) }),
    );

    expect(planned.map(({ sameAs }) => sameAs)).toEqual([null, null, 1, 1]);
  });

  it('differ for different tasks whose hashes are the same', () => {
    // Found by search.
    const pair = ['task hrv12y', 'task xhr8z6'] as const;
    const [hash, other] = pair.map((task) => shortHash(canonicalJson({ task, repo: REPO, attended: false })));
    expect(hash).toBe(other);

    const planned = planTasks('nightly', tasksOf({ tasks: [...pair, pair[1]].map((task) => ({ task, repo: REPO })) }));

    expect(planned[0]?.runId).not.toBe(planned[1]?.runId);
    expect(planned.map(({ sameAs }) => sameAs)).toEqual([null, null, 2]);
    expect(planned.every(({ runId }) => isRunId(runId))).toBe(true);
  });

  it('differ for tasks that differ in their host only', () => {
    const planned = planTasks(
      'nightly',
      tasksOf({ tasks: ['a', 'b'].map((host) => ({ task: 'one', repo: REPO, host })) }),
    );

    expect(planned[0]?.runId).not.toBe(planned[1]?.runId);
  });

  it.each([
    ['batch:nightly', 'batch-nightly'],
    ['batch:nightly-2026-11-21T02:00:00Z', 'batch-nightly-2026-11-21T02-00-00Z'],
  ])('begin with the workflow id %s as %s', (workflowId, batchId) => {
    expect(batchIdOf(workflowId)).toBe(batchId);
  });

  it('are run ids and tell batches apart, whatever the workflow id is', () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
    fc.assert(fc.property(id, (workflowId) => isRunId(`${batchIdOf(workflowId)}-0123abcd`)));
    const long = `batch:${'x'.repeat(150)}`;

    expect(batchIdOf(`${long}1`)).not.toBe(batchIdOf(`${long}2`));
    expect(batchIdOf('batch:a b')).not.toBe(batchIdOf('batch:a/b'));
    expect(batchIdOf('batch:a b')).toMatch(/^batch-a-b-/);
  });
});
