/** What is taken as a plan, the order of its steps and the text that is hashed. Source: S-34 to S-38, S-81. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PLAN_STEPS, type Plan, readPlan } from '../../../protocol/admission/plan-answer.js';
import {
  canonicalPlan,
  isReadOnlyPlan,
  oneStepPlan,
  orderSteps,
  type PlanStep,
  STEP_VERBS,
} from '../../../protocol/admission/plan-steps.js';

const ROW = {
  verb: 'modify',
  target_file: 'src/a.ts',
  symbols: ['a'],
  acceptance: 'it works',
  depends_on: [],
  description: 'Change a',
};

const STEP: PlanStep = {
  seq: 1,
  verb: 'modify',
  targetFile: 'src/a.ts',
  symbols: ['a'],
  acceptance: 'it works',
  dependsOn: [],
  description: 'Change a',
};

function planOf(...rows: readonly object[]) {
  return { plan: rows.map((row) => ({ ...ROW, ...row })), files_affected: ['src/a.ts'], symbols_affected: ['a'] };
}

function readGood(value: unknown): Plan {
  const plan = readPlan(value);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('the answer of a planner', () => {
  it('is read, with the seqs of the steps that each waits for', () => {
    expect(readPlan(planOf({}, { verb: 'test', depends_on: [0] }, { depends_on: [1, 0, 1] }))).toEqual({
      steps: [STEP, { ...STEP, seq: 2, verb: 'test', dependsOn: [1] }, { ...STEP, seq: 3, dependsOn: [1, 2] }],
      filesAffected: ['src/a.ts'],
      symbolsAffected: ['a'],
    });
  });

  it('may leave out files, symbols and dependencies', () => {
    const bare = { plan: [{ verb: 'verify', acceptance: 'known', description: 'Look', target_file: '' }] };

    expect(readPlan(bare)).toEqual({
      steps: [{ ...STEP, verb: 'verify', targetFile: null, symbols: [], acceptance: 'known', description: 'Look' }],
      filesAffected: [],
      symbolsAffected: [],
    });
  });

  it.each(STEP_VERBS)('may %s', (verb) => {
    expect(readGood(planOf({ verb })).steps).toMatchObject([{ verb }]);
  });

  it.each([
    [{ plan: [] }, 'plan must be a list of 1 to 50 steps'],
    [{ plan: 'do it' }, 'plan must be a list of 1 to 50 steps'],
    [{ plan: [null] }, 'step 1 (index 0): it must be an object'],
    [planOf({}, { verb: 'run' }), 'step 2 (index 1): verb is "run"; it must be one of add, modify, delete, test,'],
    [planOf({ verb: 'Add' }), 'step 1 (index 0): verb is "Add"'],
    [planOf({ description: ' ' }), 'step 1 (index 0): description must be a text'],
    [planOf({ acceptance: 1 }), 'step 1 (index 0): acceptance must be a text'],
    [planOf({ depends_on: [0] }), 'depends_on names 0; a step may wait for steps before it alone'],
    [planOf({ depends_on: [1] }, { depends_on: [0] }), 'step 1 (index 0): depends_on names 1'],
    [planOf({}, { depends_on: [7] }), 'step 2 (index 1): depends_on names 7'],
    [planOf({}, { depends_on: [-1] }), 'depends_on names -1'],
    [planOf({}, { depends_on: [0.5] }), 'depends_on names 0.5'],
    [planOf({}, { depends_on: ['0'] }), 'depends_on names "0"'],
    [planOf({}, { depends_on: 0 }), 'depends_on must be a list'],
    [planOf({}, { depends_on: Array(51).fill(0) }), 'depends_on has more than 50 entries'],
    [planOf({ symbols: Array(51).fill('a') }), 'symbols: must be a list of at most 50 texts'],
    [planOf({ symbols: [{}] }), 'symbols: an object is no text of at most 200 characters'],
    [{ ...planOf({}), files_affected: ['../x'] }, 'files_affected: "../x" is no path'],
    [{ ...planOf({}), symbols_affected: 'a' }, 'symbols_affected: must be a list'],
  ])('%#: is refused with the step that is wrong', (answer, why) => {
    expect(readPlan(answer)).toEqual(expect.stringContaining(why));
  });

  it('has at most 50 steps, and a bounded size', () => {
    expect(readGood(planOf(...Array(MAX_PLAN_STEPS).fill({}))).steps).toHaveLength(50);
    expect(readPlan(planOf(...Array(MAX_PLAN_STEPS + 1).fill({})))).toContain('1 to 50 steps');
    expect(readPlan(planOf(...Array(40).fill({ description: 'x'.repeat(2_000) })))).toContain('the plan is too long');
  });

  it.each(['../x', 'a/../b', '..', '/etc', '/etc/passwd', 'C:\\x', 'c:/x', 'a\\b', '~/x', '~', 'a\0b', 'a\nb'])(
    'names no file outside the repository: %j',
    (target_file) => {
      expect(readPlan(planOf({ target_file }))).toContain('step 1 (index 0): target_file');
    },
  );

  it.each(['.git', '.git/config', 'sub/.GIT/hooks/x', '.git./x', '.git /x', '.git::$INDEX', 'git~1/x', '.g\u200cit/x'])(
    'names nothing of git: %j',
    (target_file) => {
      expect(readPlan(planOf({ target_file }))).toContain('is no path');
    },
  );

  it.each([7, '.', './', ' '.repeat(401), '\u202ea'])('names a path: not %j', (target_file) => {
    expect(readPlan(planOf({ target_file }))).toContain('is no path');
  });

  it.each([
    ['./src//a.ts', 'src/a.ts'],
    ['docs/', 'docs'],
    ['.gitignore', '.gitignore'],
    ['.github/x y.yml', '.github/x y.yml'],
    ['a..b/..c', 'a..b/..c'],
    ['src/größe.ts', 'src/größe.ts'],
  ])('may name %j', (target_file, targetFile) => {
    expect(readGood(planOf({ target_file })).steps).toMatchObject([{ targetFile }]);
  });

  it('cannot steer a terminal', () => {
    const { steps } = readGood(planOf({ description: '\u001b[2Ja\u0007', symbols: ['a\u001b[1m\nb'] }));

    expect(steps).toMatchObject([{ description: 'a␇', symbols: ['a b'] }]);
  });

  it('whatever it is, is read or refused, and nothing is thrown', () => {
    const odd = fc.oneof(fc.anything(), fc.constantFrom(...STEP_VERBS, 'src/a.ts', '../x'), fc.array(fc.integer()));
    const row = fc.record(
      { verb: odd, target_file: odd, symbols: odd, acceptance: odd, depends_on: odd, description: odd },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ plan: fc.array(fc.oneof(odd, row)) })), (value) => {
        const plan = readPlan(value);
        if (typeof plan === 'string') return;
        for (const { seq, dependsOn } of plan.steps) expect(dependsOn.every((one) => one > 0 && one < seq)).toBe(true);
      }),
    );
  });
});

/** A plan in which steps wait for earlier ones, as plain lists of indexes. */
const DEPENDENCIES = fc
  .array(fc.array(fc.nat(49), { maxLength: 4 }), { minLength: 1, maxLength: 50 })
  .map((lists) => lists.map((list, index) => list.filter((one) => one < index)));

describe('the steps of a plan', () => {
  it('run each once, after those that it depends on, whatever the order they are given in', () => {
    fc.assert(
      fc.property(DEPENDENCIES, fc.infiniteStream(fc.nat()), (lists, keys) => {
        const { steps } = readGood(planOf(...lists.map((depends_on) => ({ depends_on }))));
        const mixed = steps.map((step) => [keys.next().value, step] as const).toSorted(([one], [other]) => one - other);

        const order = orderSteps(mixed.map(([, step]) => step)).map(({ seq }) => seq);

        expect(order.toSorted((one, other) => one - other)).toEqual(steps.map(({ seq }) => seq));
        for (const { seq, dependsOn } of steps)
          for (const one of dependsOn) expect(order.indexOf(one)).toBeLessThan(order.indexOf(seq));
        expect(orderSteps(steps)).toEqual(steps);
      }),
    );
  });

  it('keep the order of the plan where they do not wait for each other', () => {
    const steps = [
      { ...STEP, seq: 1, dependsOn: [3] },
      { ...STEP, seq: 2 },
      { ...STEP, seq: 3 },
      { ...STEP, seq: 4 },
    ];

    expect(orderSteps(steps).map(({ seq }) => seq)).toEqual([2, 3, 1, 4]);
  });

  it('that wait for each other have no order', () => {
    expect(() =>
      orderSteps([
        { ...STEP, dependsOn: [2] },
        { ...STEP, seq: 2, dependsOn: [1] },
      ]),
    ).toThrow('wait for each');
    expect(() => orderSteps([{ ...STEP, dependsOn: [9] }])).toThrow('wait for each');
  });

  it('have one text, that differs as soon as a field does', () => {
    const other: Required<PlanStep> = {
      seq: 2,
      verb: 'add',
      targetFile: null,
      symbols: ['a', 'b'],
      acceptance: 'it works\n',
      dependsOn: [1],
      description: 'Change b',
    };
    const texts = Object.entries(other).map(([field, value]) => canonicalPlan([{ ...STEP, [field]: value }]));

    expect(canonicalPlan([STEP])).toBe('plan 1\n[1,"modify","src/a.ts",["a"],"it works",[],"Change a"]\n');
    expect(new Set([canonicalPlan([STEP]), ...texts]).size).toBe(8);
    expect(canonicalPlan([{ ...STEP }])).toBe(canonicalPlan(Object.values({ step: { ...STEP, ...STEP } })));
  });

  it('only look where each verifies', () => {
    expect(isReadOnlyPlan([{ ...STEP, verb: 'verify' }])).toBe(true);
    expect(
      isReadOnlyPlan([
        { ...STEP, verb: 'verify' },
        { ...STEP, verb: 'test' },
      ]),
    ).toBe(false);
    expect(isReadOnlyPlan([])).toBe(false);
  });

  it('are one where a person wants no plan', () => {
    const task = `Fix the login\n\nIt ${'fails '.repeat(40)}.`;

    expect(oneStepPlan(task)).toEqual([
      { ...STEP, targetFile: null, symbols: [], acceptance: task, description: 'Fix the login' },
    ]);
    expect(oneStepPlan('x'.repeat(500))[0]?.description).toHaveLength(120);
  });
});
