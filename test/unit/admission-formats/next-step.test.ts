/** Which step of a plan is worked on next, under any results, losses and resumptions. Source: S-60, S-61, S-68, S-69, S-71, S-73, S-74, S-82, S-83. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterWork,
  nextWork,
  resumeSteps,
  type StepsState,
  startSteps,
  type WorkResult,
} from '../../../protocol/admission/next-step.js';
import { oneStepPlan, type PlanStep } from '../../../protocol/admission/plan-steps.js';

const RULES = { retries: 1 };

function planOf(...dependencies: readonly (readonly number[])[]): readonly PlanStep[] {
  return dependencies.flatMap((dependsOn, index) =>
    oneStepPlan('task').map((step) => ({ ...step, seq: index + 1, dependsOn })),
  );
}

/** Two steps, the second after the first. */
const FRESH = startSteps(planOf([], [1]));

const began = (seq: number): WorkResult => ({ kind: 'began', seq });
const turn = (seq: number, end: 'ended' | 'failed' | 'lost'): WorkResult => ({ kind: 'turn', seq, end });
const check = (seq: number, end: 'failed' | 'lost'): WorkResult => ({ kind: 'check', seq, end });
const passed = (seq: number, isTreeClean = true): WorkResult => ({ kind: 'check', seq, end: 'passed', isTreeClean });
const goodStep = (seq: number) => [began(seq), turn(seq, 'ended'), passed(seq)];
const badStep = (seq: number) => [began(seq), turn(seq, 'failed')];

function after(state: StepsState, ...results: readonly WorkResult[]): StepsState {
  return results.reduce((now, result) => afterWork(now, result, RULES), state);
}

const next = (state: StepsState) => nextWork(state, RULES);
const statuses = (state: StepsState) => state.steps.map(({ status }) => status);

describe('the steps of a plan', () => {
  it('are taken one after the other: a turn, then its check', () => {
    const asked: unknown[] = [];
    let state = FRESH;
    for (const result of [...goodStep(1), ...goodStep(2)]) {
      if (result.kind !== 'began') asked.push(next(state));
      state = after(state, result);
    }

    expect(asked).toEqual([
      { kind: 'turn', seq: 1, retry: false },
      { kind: 'check', seq: 1 },
      { kind: 'turn', seq: 2, retry: false },
      { kind: 'check', seq: 2 },
    ]);
    expect(next(state)).toEqual({ kind: 'done' });
    expect(statuses(state)).toEqual(['done', 'done']);
  });

  it('run after those that they depend on', () => {
    expect(startSteps(planOf([2], [])).steps.map(({ seq }) => seq)).toEqual([2, 1]);
  });

  it('are marked before their turns begin', () => {
    expect(statuses(after(FRESH, began(1)))).toEqual(['executing', 'pending']);
    expect(after(FRESH, turn(1, 'ended'))).toBe(FRESH);
  });

  it.each([
    ['its turn failed', [began(1), turn(1, 'failed')]],
    ['its check failed', [began(1), turn(1, 'ended'), check(1, 'failed')]],
    ['its tree is not clean', [began(1), turn(1, 'ended'), passed(1, false)]],
  ])('are retried once where %s', (_, failure) => {
    const once = after(FRESH, ...failure);
    const twice = after(once, ...failure);

    expect(next(once)).toEqual({ kind: 'turn', seq: 1, retry: true });
    expect(next(after(once, ...goodStep(1)))).toEqual({ kind: 'turn', seq: 2, retry: false });
    expect(next(twice)).toEqual({ kind: 'failed', seq: 1 });
    expect(statuses(twice)).toEqual(['failed', 'pending']);
  });

  it('lose no retry with a worker, in a turn or in a check', () => {
    const lost = after(FRESH, began(1), turn(1, 'lost'), began(1), turn(1, 'ended'), check(1, 'lost'));

    expect(next(after(FRESH, began(1), turn(1, 'lost')))).toEqual({ kind: 'turn', seq: 1, retry: false });
    expect(next(lost)).toEqual({ kind: 'check', seq: 1 });
    expect(next(after(lost, check(1, 'failed'), began(1), turn(1, 'lost')))).toEqual({
      kind: 'turn',
      seq: 1,
      retry: true,
    });
  });

  it('are retried as often as the rules say', () => {
    const failed = after(FRESH, ...badStep(1));

    expect(nextWork(failed, { retries: 0 })).toEqual({ kind: 'failed', seq: 1 });
    expect(afterWork(failed, began(1), { retries: 0 })).toBe(failed);
    expect(nextWork(failed, { retries: 2 })).toEqual({ kind: 'turn', seq: 1, retry: true });
  });

  it('go on from the first that is not finished, with retries of their own', () => {
    const failed = after(FRESH, ...goodStep(1), ...badStep(2), ...badStep(2));
    const resumed = resumeSteps(failed);

    expect(statuses(resumed)).toEqual(['done', 'pending']);
    expect(next(resumed)).toEqual({ kind: 'turn', seq: 2, retry: false });
    expect(next(after(resumed, ...badStep(2)))).toEqual({ kind: 'turn', seq: 2, retry: true });
    expect(next(after(resumed, ...badStep(2), ...badStep(2)))).toEqual({ kind: 'failed', seq: 2 });
  });

  it('take no turn again that ended normally', () => {
    const stopped = after(FRESH, ...badStep(1), began(1), turn(1, 'ended'));

    expect(next(resumeSteps(stopped))).toEqual({ kind: 'check', seq: 1 });
    expect(next(after(resumeSteps(stopped), check(1, 'failed')))).toEqual({ kind: 'turn', seq: 1, retry: true });
    expect(next(after(resumeSteps(stopped), passed(1)))).toEqual({ kind: 'turn', seq: 2, retry: false });
  });

  it('that somebody skipped are passed over', () => {
    const skipped: StepsState = {
      steps: FRESH.steps.map((step) => (step.seq === 1 ? { ...step, status: 'skipped' } : step)),
    };

    expect(next(resumeSteps(skipped))).toEqual({ kind: 'turn', seq: 2, retry: false });
  });

  it('are done without any', () => {
    expect(next(startSteps([]))).toEqual({ kind: 'done' });
  });
});

/** What happens to the work that is asked for; `late`: and a result that nobody waits for comes first. */
const EVENTS = fc.record({
  end: fc.constantFrom('good', 'good', 'failed', 'lost', 'unclean'),
  isResumed: fc.boolean(),
  late: fc.option(
    fc.oneof(
      fc.nat(9).map(began),
      fc.tuple(fc.nat(9), fc.constantFrom('ended' as const, 'failed' as const)).map(([seq, end]) => turn(seq, end)),
      fc.nat(9).map((seq) => passed(seq)),
      fc.nat(9).map((seq) => check(seq, 'failed')),
    ),
  ),
});

type Event = typeof EVENTS extends fc.Arbitrary<infer T> ? T : never;

const PLANS = fc
  .array(fc.array(fc.nat(8), { maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .map((lists) => planOf(...lists.map((list, index) => [...new Set(list.filter((one) => one > 0 && one <= index))])));

/** What an executor saw of one plan, by its own count. */
class Executor {
  readonly done: number[] = [];
  failures = 0;
  state: StepsState;

  constructor(readonly plan: readonly PlanStep[]) {
    this.state = startSteps(plan);
  }

  act({ end, isResumed, late }: Event): void {
    if (isResumed) this.resume();
    this.take(late);
    const work = next(this.state);
    switch (work.kind) {
      case 'turn':
        expect(this.done).not.toContain(work.seq);
        expect(this.done).toEqual(expect.arrayContaining([...(this.plan[work.seq - 1]?.dependsOn ?? [])]));
        expect(work.retry).toBe(this.failures > 0);
        this.tell(began(work.seq), turn(work.seq, end === 'good' || end === 'unclean' ? 'ended' : end));
        if (end === 'failed') this.failures += 1;
        break;
      case 'check':
        expect(this.done).not.toContain(work.seq);
        this.tell(end === 'good' || end === 'unclean' ? passed(work.seq, end === 'good') : check(work.seq, end));
        if (end === 'good') this.finish(work.seq);
        else if (end !== 'lost') this.failures += 1;
        break;
      case 'failed':
        expect(this.failures).toBe(2);
        expect(this.done).not.toContain(work.seq);
        break;
      case 'done':
        expect(this.done.length).toBe(this.plan.length);
    }
    expect(this.failures).toBeLessThanOrEqual(2);
  }

  /** A late result is of a step that is not worked on; one of the current step is a result. */
  private take(late: WorkResult | null): void {
    const work = next(this.state);
    const isOther = late !== null && (work.kind === 'done' || late.seq !== work.seq || work.kind === 'failed');
    if (isOther) expect(after(this.state, late)).toBe(this.state);
  }

  private tell(...results: readonly WorkResult[]): void {
    for (const result of results) {
      this.state = after(this.state, result);
      // A worker that dies has what the history holds: plain data.
      this.state = structuredClone(this.state);
    }
  }

  private finish(seq: number): void {
    this.done.push(seq);
    this.failures = 0;
  }

  private resume(): void {
    this.state = resumeSteps(this.state);
    this.failures = 0;
  }
}

describe('any way through a plan', () => {
  it('does no step twice, leaves none out, keeps to dependencies and retries exactly once', () => {
    fc.assert(
      fc.property(PLANS, fc.array(EVENTS, { maxLength: 60 }), (plan, events) => {
        const executor = new Executor(plan);
        for (const event of events) executor.act(event);

        expect(executor.state.steps.filter(({ status }) => status === 'done').map(({ seq }) => seq)).toEqual(
          executor.done,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('comes to its end where nothing fails any more', () => {
    fc.assert(
      fc.property(PLANS, fc.array(EVENTS, { maxLength: 30 }), (plan, events) => {
        const executor = new Executor(plan);
        for (const event of events) executor.act(event);
        const good: Event = { end: 'good', isResumed: true, late: null };
        for (let n = 0; n < 2 * plan.length + 2; n += 1) executor.act(good);

        expect(next(executor.state)).toEqual({ kind: 'done' });
        expect(executor.done).toEqual(plan.map(({ seq }) => seq));
      }),
    );
  });

  it('whatever results come, in any order, lets no step pass without a turn and a check', () => {
    const results = fc.oneof(
      fc.nat(4).map(began),
      fc
        .tuple(fc.nat(4), fc.constantFrom('ended' as const, 'failed' as const, 'lost' as const))
        .map(([seq, end]) => turn(seq, end)),
      fc.tuple(fc.nat(4), fc.boolean()).map(([seq, isClean]) => passed(seq, isClean)),
      fc.tuple(fc.nat(4), fc.constantFrom('failed' as const, 'lost' as const)).map(([seq, end]) => check(seq, end)),
    );
    fc.assert(
      fc.property(fc.array(results, { maxLength: 60 }), (told) => {
        const state = after(startSteps(planOf([], [1], [1, 2])), ...told);
        const done = statuses(state).filter((status) => status === 'done').length;

        expect(told.filter((one) => one.kind === 'turn' && one.end === 'ended').length).toBeGreaterThanOrEqual(done);
        expect(
          told.filter((one) => one.kind === 'check' && one.end === 'passed' && one.isTreeClean).length,
        ).toBeGreaterThanOrEqual(done);
        expect(
          statuses(state)
            .slice(done + 1)
            .every((status) => status === 'pending'),
        ).toBe(true);
        for (const { failures } of state.steps) expect(failures).toBeLessThanOrEqual(2);
      }),
      { numRuns: 500 },
    );
  });
});
