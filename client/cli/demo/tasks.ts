/** The four tasks of `demo --backlog`: each mends one bug of minimist 1.2.7 and adds a test that shows it. The agent of each is scripted. */
import { BRANCHES, patchOf } from './branches.js';
import { ALIAS_FIX, DASH_FIX, RED_TESTS } from './bugs.js';

export interface DemoTask {
  readonly agent: string;
  readonly task: string;
  readonly title: string;
  readonly patch: string;
  /** Its test, of a file that the others leave alone. */
  readonly test: Readonly<Record<string, string>>;
}

const [NUMBERS] = BRANCHES;

/** Two that declare one file. */
export const DASH: DemoTask = {
  agent: 'scripted-dash',
  task: `"--foo -" loses its value: parse(['--foo', '-']) is to give {foo: '-', _: []}.`,
  title: 'Take a lone dash as a value',
  patch: DASH_FIX,
  test: { 'test/dash.js': RED_TESTS['test/dash.js'] },
};

export const ALIAS: DemoTask = {
  agent: 'scripted-alias',
  task: "opt.string is ignored for every alias beyond the first. It must hold for each: with alias {s: ['str', 'z']} and string 's', \"--z 000123\" is to stay a text.",
  title: 'Let opt.string hold for every alias',
  patch: ALIAS_FIX,
  test: { 'test/parse.js': RED_TESTS['test/parse.js'] },
};

/** One that depends on another: its patch fits what the dash left. */
export const NUMBER: DemoTask = {
  agent: 'scripted-number',
  task: NUMBERS.task,
  title: NUMBERS.title,
  patch: patchOf(NUMBERS.line),
  test: NUMBERS.test,
};

/** The one that a schedule hands in. */
export const EQUALS: DemoTask = {
  agent: 'scripted-equals',
  task: '"-a=b=c" loses all behind the second "=": parse([\'-a=b=c\']) is to give {a: \'b=c\', _: []}.',
  title: 'Keep every equals sign of a short option',
  patch: `--- a/index.js
+++ b/index.js
@@ -151,5 +151,5 @@ module.exports = function (args, opts) {
                 
                 if (/[A-Za-z]/.test(letters[j]) && /=/.test(next)) {
-                    setArg(letters[j], next.split('=')[1], arg);
+                    setArg(letters[j], next.slice(next.indexOf('=') + 1), arg);
                     broken = true;
                     break;
`,
  test: {
    'test/kv_short.js': `
test('short -k=v with more equals signs', function (t) {
    t.plan(1);
    t.deepEqual(parse([ '-a=b=c' ]), { a: 'b=c', _: [] });
});
`,
  },
};

export const TASKS: readonly DemoTask[] = [DASH, ALIAS, NUMBER, EQUALS];

/** Each is one line, so nothing is planned. */
const STAGES = ['executing', 'validating', 'reviewing', 'verifying'] as const;

/** What a config says beside the agents. */
export const BACKLOG_CONFIG = {
  stageList: STAGES,
  // Nothing starts that nobody has seen, two that say that they touch one file never run at once, and what is done lands by itself.
  backlog: { maxConcurrent: 2, conflicts: 'block', gate: 'start' },
  landing: { mode: 'auto' },
};

/** A file of the demo's folder: the agent waits in mid-turn until it exists. */
export const GO_OF: Readonly<Record<string, string>> = { [DASH.agent]: 'go', [ALIAS.agent]: 'go-alias' };

export function ledgerOf({ agent }: DemoTask): string {
  return `ledger-${agent}.txt`;
}

/** As `parseFixture` of activities/agent/scripted takes it. */
export function taskFixture(task: DemoTask) {
  const { agent, patch, test } = task;
  const waitFor = GO_OF[agent];
  return {
    ledger: ledgerOf(task),
    stages: {
      executing: {
        ...(waitFor === undefined ? {} : { waitFor }),
        patch,
        append: test,
        text: 'Mended it, and added a test that was red before.',
      },
      reviewing: { text: 'The change is small, and its test shows what it is for.', decision: 'APPROVED' },
      verifying: { text: 'The new test passes, and so do the others.', decision: 'PASSED' },
    },
  };
}
