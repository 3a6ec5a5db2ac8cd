import { describe, expect, it } from '@jest/globals';
import type { ActivateInput, ConcludeActivationInput, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { interceptors } from '../../../workflows/sdk-guards/decided-too-early.js';

type Jobs = ActivateInput['activation']['jobs'];
type Commands = ConcludeActivationInput['commands'];

const RESOLVED: Jobs = [{ resolveActivity: { seq: 1 } }];
const UPDATE: Jobs = [{ doUpdate: { id: 'u' } }];
const SIGNAL: Jobs = [{ signalWorkflow: { signalName: 'pause' } }];
const QUERY: Jobs = [{ queryWorkflow: { queryId: 'legacy_query' } }];
const RUN_ID = 'r2';
const MEMO = { modifyWorkflowProperties: {} };
const SCHEDULED = { scheduleActivity: { seq: 2 } };
const CANCELLED = { requestCancelActivity: { seq: 2 } };

interface Step {
  readonly jobs: Jobs;
  /** Of the last event that the run saw. */
  readonly events: number;
  /** Of the start of its workflow task. */
  readonly at: number;
  readonly replaying?: boolean;
  readonly commands?: Commands;
}

const QUERIED = { jobs: QUERY, events: 12, at: 1 } as const;
const TASK: Step = { jobs: RESOLVED, events: 9, at: 1, commands: [SCHEDULED] };

/** Which steps the run refuses. */
function refused(...steps: readonly Step[]): readonly number[] {
  const [internals] = interceptors().internals ?? [];
  if (internals === undefined) throw new Error('no interceptor');
  return steps.flatMap((step, index) => (passes(internals, step) ? [] : [index]));
}

function passes(
  { activate, concludeActivation }: WorkflowInternalsInterceptor,
  { jobs, events, at, replaying, commands = [] }: Step,
): boolean {
  // The SDK's timestamp has a Long, of which only its text is read.
  const activation = {
    runId: RUN_ID,
    jobs,
    historyLength: events,
    timestamp: { seconds: at, nanos: 0 },
    isReplaying: replaying,
  } as unknown as ActivateInput['activation'];
  let passed = false;
  try {
    activate?.({ activation, batchIndex: 0 }, () => {
      passed = true;
    });
  } catch {
    return false;
  }
  concludeActivation?.({ commands }, (input) => input);
  return passed;
}

describe('a cached run', () => {
  it('goes on from task to task, with Queries between them', () => {
    expect(
      refused(
        TASK,
        { ...QUERIED, events: 9 },
        { jobs: UPDATE, events: 13, at: 2, commands: [MEMO] },
        { jobs: RESOLVED, events: 18, at: 3 },
      ),
    ).toEqual([]);
  });

  it('is given up where a Query brought the end of a turn before the task that holds it and a message', () => {
    const early: Step = { jobs: RESOLVED, events: 16, at: 1, commands: [MEMO, SCHEDULED] };

    expect(refused(TASK, early, { ...QUERIED, events: 16 }, { jobs: UPDATE, events: 17, at: 2 })).toEqual([3]);
  });

  it.each([2, 100])(
    'is given up for a message that comes %d events after what a Query brought, though nothing was decided',
    (events) => {
      expect(
        refused(TASK, { ...TASK, events: 16, commands: [] }, QUERIED, { jobs: UPDATE, events: 16 + events, at: 2 }),
      ).toEqual([3]);
    },
  );

  it('is given up where the task of its last decision was lost', () => {
    expect(refused(TASK, { ...TASK, events: 16, at: 2 }, { jobs: UPDATE, events: 19, at: 3 })).toEqual([2]);
  });

  it.each([3, 100])(
    'is given up for the end of a turn that comes %d events after what a Query made it decide',
    (events) => {
      expect(
        refused(
          TASK,
          { ...TASK, events: 16 },
          { ...QUERIED, events: 16 },
          { jobs: RESOLVED, events: 16 + events, at: 2 },
        ),
      ).toEqual([3]);
    },
  );

  it('is given up for the end of a turn, too, that comes after what a Query brought, though nothing was decided', () => {
    expect(
      refused(TASK, { ...TASK, events: 16, commands: [] }, QUERIED, { jobs: RESOLVED, events: 23, at: 3 }),
    ).toEqual([3]);
  });

  it('is given up where a Query brought its task, started already, without the message of that task', () => {
    const brought: Step = { jobs: RESOLVED, events: 16, at: 2 };

    expect(refused(TASK, brought, { ...QUERIED, events: 16 }, { ...brought, jobs: UPDATE })).toEqual([3]);
  });

  it('is given up for a Signal where a Query made it anew from a task that was lost, and decided nothing', () => {
    const replayed: Step = { ...TASK, replaying: true };
    const lost: Step = { jobs: RESOLVED, events: 16, at: 2 };
    const again: Step = { jobs: SIGNAL, events: 20, at: 3 };

    expect(refused(replayed, lost, { ...QUERIED, events: 16 }, again)).toEqual([3]);
    expect(
      refused(
        replayed,
        lost,
        { ...QUERIED, events: 16 },
        { ...again, jobs: RESOLVED },
        { ...again, events: 24, at: 4 },
      ),
    ).toEqual([]);
    expect(
      refused(replayed, { ...lost, commands: [MEMO] }, { ...QUERIED, events: 16 }, { ...again, events: 21 }),
    ).toEqual([]);
    expect(refused(TASK, lost, { ...QUERIED, events: 16 }, again)).toEqual([]);
  });

  it('goes on where a message comes with a task that takes the place of one that the server let fall', () => {
    const fallen: Step = { jobs: UPDATE, events: 16, at: 2 };

    expect(refused(TASK, fallen, { ...QUERIED, events: 16 }, { ...fallen, at: 3 })).toEqual([]);
  });

  it('goes on where more of a task that nobody asked in comes later', () => {
    const begun: Step = { jobs: RESOLVED, events: 16, at: 2 };

    expect(refused(TASK, begun, { ...begun, jobs: UPDATE })).toEqual([]);
  });

  it('goes on after a task that decided nothing, whatever became of it', () => {
    expect(refused(TASK, { jobs: UPDATE, events: 16, at: 2 }, { jobs: RESOLVED, events: 18, at: 3 })).toEqual([]);
  });

  it('counts no activity that was cancelled before it was sent', () => {
    expect(refused({ ...TASK, commands: [SCHEDULED, CANCELLED] }, { jobs: UPDATE, events: 12, at: 2 })).toEqual([]);
  });

  it.each([
    ['an activity that takes the place of another', [{ requestCancelActivity: { seq: 1 } }, SCHEDULED]],
    ['a Signal', [{ signalExternalWorkflowExecution: { seq: 1 } }]],
    ['a child', [{ startChildWorkflowExecution: { seq: 1 } }]],
    ['an accepted Update', [{ updateResponse: { accepted: {} } }]],
  ])('counts %s as decided', (_what, commands) => {
    const decided: Step = { ...TASK, commands };

    expect(refused(decided, { jobs: UPDATE, events: 12, at: 2 })).toEqual([1]);
    expect(refused(decided, { jobs: UPDATE, events: 13, at: 2 })).toEqual([]);
  });

  it('finds no room for its decision in the events that the next task brings', () => {
    const said: Jobs = [...SIGNAL, ...RESOLVED];

    expect(refused(TASK, { jobs: said, events: 14, at: 2 })).toEqual([1]);
    expect(refused(TASK, { jobs: said, events: 15, at: 2 })).toEqual([]);
  });

  it('goes on where it decided nothing in its first task, and a Query is answered with that task', () => {
    const first: Step = { jobs: RESOLVED, events: 9, at: 1 };
    const answered: Step = { ...QUERIED, jobs: [{ queryWorkflow: { queryId: 'b5f2' } }], events: 9 };

    expect(refused(first, answered, { jobs: SIGNAL, events: 13, at: 2 })).toEqual([]);
    expect(refused(first, { ...QUERIED, events: 9 }, { jobs: SIGNAL, events: 13, at: 2 })).toEqual([2]);
  });

  it('is given up for what a Query brings after a task that took the place of a fallen one', () => {
    const fallen: Step = { jobs: UPDATE, events: 13, at: 2 };
    const early: Step = { jobs: RESOLVED, events: 16, at: 3 };

    expect(
      refused(
        TASK,
        fallen,
        { ...fallen, at: 3 },
        early,
        { ...QUERIED, events: 16 },
        { jobs: UPDATE, events: 17, at: 4 },
      ),
    ).toEqual([5]);
  });

  it('never refuses a replay', () => {
    const replayed = { ...TASK, replaying: true, commands: [MEMO, SCHEDULED] };

    expect(refused(replayed, { ...replayed, events: 10 }, { jobs: UPDATE, events: 11, at: 2 })).toEqual([]);
  });
});

describe('an Update', () => {
  const decided: Step = { ...TASK, replaying: true };
  const decidedNothing: Step = { ...decided, commands: [] };
  const merged: Step = { jobs: [...UPDATE, ...RESOLVED], events: 16, at: 2 };
  const BEGUN: Step = { jobs: [{ initializeWorkflow: {} }, ...UPDATE], events: 3, at: 1 };

  /** Whether the last of these steps lets an Update pass. */
  function takesUpdate(...steps: readonly Step[]): boolean {
    const { inbound = [], internals = [] } = interceptors();
    const [handler] = inbound;
    const [internal] = internals;
    if (internal === undefined || handler?.validateUpdate === undefined) throw new Error('no interceptor');
    for (const step of steps) passes(internal, step);
    let isTaken = false;
    try {
      handler.validateUpdate({ updateId: 'u', name: 'answer', args: [], headers: {} }, () => {
        isTaken = true;
      });
    } catch (error) {
      expect(error).toMatchObject({ type: 'UnprocessedUpdate', nonRetryable: true });
    }
    return isTaken;
  }

  it('is kept out of a copy that is behind, where a task that decided nothing can lie before it', () => {
    expect(takesUpdate(decidedNothing, merged)).toBe(false);
    expect(takesUpdate({ ...BEGUN, events: 6 })).toBe(false);
  });

  it('is kept out of a copy that went on at another worker meanwhile', () => {
    expect(takesUpdate({ ...decidedNothing, replaying: false }, merged)).toBe(false);
  });

  it('is kept out of a copy that a Query left at the end of its last task', () => {
    const asked = { ...QUERIED, events: 10 };

    expect(takesUpdate({ ...decidedNothing, events: 10 }, asked, merged)).toBe(false);
    expect(takesUpdate({ ...decidedNothing, events: 10 }, merged)).toBe(true);
  });

  it('is kept out after a task that decided something only where two can lie between, of which one brought nothing', () => {
    expect(takesUpdate(decided, { ...merged, events: 19 })).toBe(true);
    expect(takesUpdate(decided, { ...merged, events: 20 })).toBe(false);
  });

  it('is taken where there is no room for a task that decided nothing', () => {
    const done: Jobs = [{ resolveActivity: { seq: 1, result: { completed: {} } } }];

    expect(takesUpdate(decidedNothing, { ...merged, events: 15 })).toBe(true);
    expect(takesUpdate(decidedNothing, { ...merged, jobs: [...UPDATE, ...done] })).toBe(true);
    expect(takesUpdate(BEGUN)).toBe(true);
  });

  it('is taken where it comes again, in a task with the events of the one that the server let fall', () => {
    expect(takesUpdate(decidedNothing, merged, { jobs: UPDATE, events: 16, at: 3 })).toBe(true);
  });

  it('is taken in a run that was reset, where nobody would send it again', () => {
    const before: Step = {
      jobs: [{ initializeWorkflow: { originalExecutionRunId: 'r1' } }],
      events: 3,
      at: 0,
      replaying: true,
    };

    expect(takesUpdate(before, decidedNothing, merged)).toBe(true);
    expect(
      takesUpdate(
        { ...before, jobs: [{ initializeWorkflow: { originalExecutionRunId: RUN_ID } }] },
        decidedNothing,
        merged,
      ),
    ).toBe(false);
  });

  it('is kept out once where a Query may have made the copy from a task that was lost', () => {
    const lost: Step[] = [decided, { jobs: RESOLVED, events: 16, at: 2 }, { ...QUERIED, events: 16 }];
    const next: Step = { jobs: UPDATE, events: 19, at: 3 };

    expect(takesUpdate(...lost, next)).toBe(false);
    expect(takesUpdate(...lost, next, { ...next, events: 22, at: 4 })).toBe(true);
  });

  it('is taken where it comes alone, since what an empty task brought would come with it', () => {
    expect(takesUpdate(decidedNothing, { jobs: UPDATE, events: 17, at: 2 })).toBe(true);
  });

  it('is taken with the next task, whatever comes with it', () => {
    const next: Step = { jobs: [...UPDATE, ...RESOLVED], events: 20, at: 3 };

    expect(takesUpdate(decided, { jobs: RESOLVED, events: 16, at: 2, commands: [MEMO] }, next)).toBe(true);
    expect(takesUpdate(TASK, { ...next, events: 16, at: 2 })).toBe(true);
  });
});
