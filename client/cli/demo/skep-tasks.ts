/** The tasks of `demo --skep`: what each says, what its scripted agent answers when it is judged and planned, and what that does in each step of its plan. */
import { ALIAS, DASH, type DemoTask, EQUALS, ledgerOf } from './tasks.js';

/** By the order in which they are handed in. */
export const SKEP_IDS = { small: '1', again: '2', asked: '3', steps: '4' } as const;

/** Those that come to main. */
export const LANDING_IDS: readonly string[] = [SKEP_IDS.small, SKEP_IDS.asked, SKEP_IDS.steps];

/** The small one once more, in slightly other words. No agent ever sees it. */
export const DASH_AGAIN = {
  agent: DASH.agent,
  task: `"--foo -" still loses its value: parse(['--foo', '-']) is to give {foo: '-', _: []} again.`,
  title: 'Keep a lone dash as a value',
} as const;

export const QUESTION = "Is '-a=b=c' to give 'b=c', or is a second equals sign an error?";
export const ANSWER = "It is to give 'b=c'.";

/** The step in which the worker is killed, and whose first try fails. */
export const HARD_STEP = 2;

/** What a config says beside the agents: that preset alone. */
export const SKEP_CONFIG = { preset: 'skep' };

interface PlannedStep {
  readonly verb: 'modify' | 'test';
  readonly file: string;
  readonly description: string;
  readonly acceptance: string;
  /** As of a turn in activities/agent/scripted. */
  readonly turn: object;
}

interface SkepTask {
  readonly task: DemoTask;
  readonly scope: 'small' | 'large';
  readonly reason: string;
  /** Before it is judged at last. */
  readonly questions: readonly string[];
  readonly steps: readonly PlannedStep[];
}

const GREEN = 'all tests are green';

function oneStep(task: DemoTask): PlannedStep {
  const { patch, test, title } = task;
  const turn = { patch, append: test, text: 'Mended it, and added a test that was red before.' };
  return { verb: 'modify', file: 'index.js', description: title, acceptance: GREEN, turn };
}

const README_PATCH = `--- a/README.md
+++ b/README.md
@@ -69,3 +69,3 @@
 * \`opts.string\` - a string or array of strings argument names to always treat as
-strings
+strings, by each of their aliases too
 * \`opts.boolean\` - a boolean, string or array of strings to always treat as
`;

/** Red: the value is a text by now. The agent says that all is well, and the checks know better. */
const WRONG_TEST = `
test('string and several aliases', function (t) {
    t.plan(1);
    t.equal(parse([ '--z', '000123' ], { string: 's', alias: { s: [ 'str', 'z' ] } }).z, 123);
});
`;

const ALIAS_STEPS: readonly PlannedStep[] = [
  {
    verb: 'modify',
    file: 'index.js',
    description: ALIAS.title,
    acceptance: GREEN,
    turn: { patch: ALIAS.patch, text: 'opt.string holds for every alias.' },
  },
  {
    verb: 'test',
    file: 'test/parse.js',
    description: 'Test a string option with several aliases',
    acceptance: `the test was red before step 1, and ${GREEN}`,
    turn: {
      waitFor: 'go',
      append: { 'test/parse.js': WRONG_TEST },
      text: 'Added a test. All is green.',
      again: { append: ALIAS.test, text: 'The value stays a text: the test had it wrong.' },
    },
  },
  {
    verb: 'modify',
    file: 'README.md',
    description: 'Say in the README that it holds for aliases',
    acceptance: 'the README says so',
    turn: { patch: README_PATCH, text: 'The README says so.' },
  },
];

const TASKS: readonly SkepTask[] = [
  { task: DASH, scope: 'small', reason: 'one condition of one file', questions: [], steps: [oneStep(DASH)] },
  {
    task: EQUALS,
    scope: 'small',
    reason: 'one line of one file',
    questions: [QUESTION],
    steps: [oneStep(EQUALS)],
  },
  { task: ALIAS, scope: 'large', reason: 'code, tests and README', questions: [], steps: ALIAS_STEPS },
];

/** Of each agent; as `parseFixture` of activities/agent/scripted takes it. */
export function skepFixtures(): readonly (readonly [agent: string, fixture: object])[] {
  return TASKS.map((one) => [one.task.agent, fixtureOf(one)] as const);
}

/** Of every step that is to be on main, as its trailers name it. */
export function namesOfSteps(project: string): readonly string[] {
  return TASKS.flatMap(({ steps }, at) => steps.map((_, n) => `${project}-${LANDING_IDS[at]} step ${n + 1}`));
}

function fixtureOf({ task, scope, reason, questions, steps }: SkepTask) {
  const judged = {
    classification: scope,
    confidence: 0.9,
    reason,
    reject_reason: null,
    needs_clarification: false,
    clarifying_questions: [],
  };
  const asking = { ...judged, needs_clarification: true, clarifying_questions: questions };
  const plan = steps.map(({ verb, file, description, acceptance }, at) => ({
    verb,
    target_file: file,
    symbols: [],
    description,
    acceptance,
    depends_on: at === 0 ? [] : [at - 1],
  }));
  return {
    ledger: ledgerOf(task),
    stages: {},
    asks: {
      dedup: say({ duplicate: false, duplicate_of: null, reason: 'it is about another option' }),
      classify: [...(questions.length > 0 ? [say(asking)] : []), say(judged)],
      plan: say({ plan, files_affected: steps.map(({ file }) => file), symbols_affected: [] }),
    },
    steps: steps.map(({ turn }) => turn),
  };
}

function say(answer: object) {
  return { text: JSON.stringify(answer) };
}
