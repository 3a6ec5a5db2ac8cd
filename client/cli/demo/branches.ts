/** The two small features of `demo --land`: each a branch of its own from the same base, and both put a line in the same place, so that the second to land conflicts. */

export interface DemoBranch {
  /** Of its agent, which is scripted as well. */
  readonly agent: 'scripted-numbers' | 'scripted-strings';
  readonly task: string;
  readonly title: string;
  readonly line: string;
  /** Its own test, of a file that the other leaves alone. */
  readonly test: Readonly<Record<string, string>>;
}

export const BRANCHES: readonly [DemoBranch, DemoBranch] = [
  {
    agent: 'scripted-numbers',
    task: "Let a negative whole number be the value of a long option: parse(['--n', '-5']) is to give {n: -5, _: []}.",
    title: 'Take a negative number as a value',
    line: '            if (!flags.bools[key] && /^-\\d+$/.test(next)) { setArg(key, args[++i], arg); continue; }',
    test: {
      'test/num.js': `
test('negative number as the value of a long option', function (t) {
    t.plan(2);
    t.deepEqual(parse([ '--n', '-5' ]), { n: -5, _: [] });
    t.deepEqual(parse([ '--n', '-5' ], { boolean: 'n' }), { n: true, 5: true, _: [] });
});
`,
    },
  },
  {
    agent: 'scripted-strings',
    task: "Let an option of opt.string take a value that begins with one dash: parse(['--s', '-x'], {string: 's'}) is to give {s: '-x', _: []}.",
    title: 'Take a value with a dash for a string option',
    line: '            if (flags.strings[key] && /^-[^-]/.test(next)) { setArg(key, args[++i], arg); continue; }',
    test: {
      'test/long.js': `
test('value with a dash of a string option', function (t) {
    t.plan(2);
    t.deepEqual(parse([ '--s', '-x' ], { string: 's' }), { s: '-x', _: [] });
    t.deepEqual(parse([ '--s', '--x' ], { string: 's' }), { s: '', x: true, _: [] });
});
`,
    },
  },
];

/** Each is one line, so nothing is planned. Fixing is what a repair begins with. */
export const BRANCH_STAGES = ['executing', 'validating', 'reviewing', 'fixing', 'verifying'] as const;

/** Between these, as the fix of the demo's first run left them. */
const [BEFORE, BEHIND] = [
  '            var next = args[i + 1];',
  "            if (next !== undefined && (next === '-' || !/^-/.test(next))",
];

/** Both sides are meant: the lines stay, the markers go. */
const KEEP_BOTH =
  "sed -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' index.js > both.tmp && cat both.tmp > index.js && rm both.tmp";

/** As `parseFixture` of activities/agent/scripted takes it. */
export function branchFixture({ line, test }: DemoBranch) {
  return {
    stages: {
      executing: { patch: patchOf(line), append: test, text: 'Added one line and a test for it.' },
      reviewing: { text: 'One line, and a test for it.', decision: 'APPROVED' },
      verifying: { text: 'The new test passes, and so do the others.', decision: 'PASSED' },
      fixing: {
        run: KEEP_BOTH,
        text: 'Both lines are meant: each looks at another value. Kept both.',
        responses: [{ id: 'M-1', disposition: 'fix', rationale: 'Both lines stand.' }],
      },
    },
  };
}

export function patchOf(line: string): string {
  return `--- a/index.js\n+++ b/index.js\n@@ -124,2 +124,3 @@ module.exports = function (args, opts) {\n ${BEFORE}\n+${line}\n ${BEHIND}\n`;
}
