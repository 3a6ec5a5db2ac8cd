/** Of tasks that resemble others, and of plans that are worked off step by step. */
import type { Mutant } from '../mutant.js';

const ITEM = 'test/unit/backlog/item-dedup.test.ts';
const FACTS = 'workflows/item/item-dedup.ts';
const JUDGE = 'activities/admission/dedup/judge-duplicate.ts';
const JUDGE_TEST = 'test/unit/admission/judge-duplicate.test.ts';
const NEXT = 'protocol/admission/next-step.ts';
const NEXT_TEST = 'test/unit/admission-formats/next-step.test.ts';
const RECORDS = 'activities/steps/step-records.ts';
const RECORDS_TEST = 'test/unit/run/step-records.test.ts';
const WORK_TEST = 'test/conformance/skep/step-work.test.ts';
const STEPS_TEST = 'test/conformance/skep/steps.test.ts';

export const DEDUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'the verdict of an agent counts although the task that was hit has closed',
    area: 'steps',
    file: FACTS,
    find: 'possible: before.possible.filter((id) => id !== of)',
    replace: 'duplicateOf: { of, reason }',
    test: { file: ITEM, title: 'S-12: is no duplicate of a task that is %s by now: %s' },
  },
  {
    name: 'whoever answered questions is refused as a duplicate',
    area: 'steps',
    file: FACTS,
    find: 'return pass === 0',
    replace: 'return pass >= 0',
    test: { file: ITEM, title: 'is not closed any more, but waits for a person who looks at both' },
  },
  {
    name: 'no answer of an agent clears the doubts',
    area: 'steps',
    file: FACTS,
    find: 'const done = { ...before, isJudged: true };',
    replace: 'const done = { ...before, possible: [], isJudged: true };',
    test: { file: ITEM, title: 'S-13, S-17: is taken in with its doubts where nobody answered, whatever that was' },
  },
  {
    name: 'a task that is forced is compared by an agent',
    area: 'steps',
    file: FACTS,
    find: 'const candidates = input.again === null ? (input.dedup?.pass.candidates ?? []) : [];',
    replace: 'const candidates = input.dedup?.pass.candidates ?? [];',
    test: { file: ITEM, title: 'S-16: is asked nothing where somebody took it up again' },
  },
  {
    name: 'a task is compared again without its answers',
    area: 'steps',
    file: 'workflows/item/item-admission.ts',
    find: 'if (rounds.length === 0 ||',
    replace: 'if (rounds.length >= 0 ||',
    test: { file: ITEM, title: 'is compared again with the answers, and asked about whom it resembles by then' },
  },
  {
    name: 'an agent names a task that it was not shown',
    area: 'steps',
    file: 'protocol/admission/duplicate-answer.ts',
    find: 'const id = candidates.find((one) => one === named);',
    replace: 'const id = candidates.length === 0 ? undefined : (named ?? undefined);',
    test: {
      file: 'test/unit/admission-formats/duplicate-answer.test.ts',
      title: 'is found in prose, and never names another task than those that were shown',
    },
  },
  {
    name: 'a hit with a guard blocks',
    area: 'steps',
    file: JUDGE,
    find: 'return guard === null && mayBlock;',
    replace: "return guard !== '' && mayBlock;",
    test: { file: JUDGE_TEST, title: 'neither blocks with a guard, nor where the task is merged' },
  },
  {
    name: 'a merged task blocks',
    area: 'steps',
    file: JUDGE,
    find: 'return guard === null && mayBlock;',
    replace: 'return guard === null;',
    test: { file: JUDGE_TEST, title: 'neither blocks with a guard, nor where the task is merged' },
  },
  {
    name: 'a step is done with a tree that is not clean',
    area: 'steps',
    file: NEXT,
    find: "return result.end === 'passed' && result.isTreeClean ?",
    replace: "return result.end === 'passed' ?",
    test: { file: NEXT_TEST, title: 'are retried once where %s' },
  },
  {
    name: 'a worker that is lost costs a retry',
    area: 'steps',
    file: NEXT,
    find: "if (step.status !== 'executing' || step.awaits !== 'turn' || result.end === 'lost') return step;",
    replace: "if (step.status !== 'executing' || step.awaits !== 'turn') return step;",
    test: { file: NEXT_TEST, title: 'lose no retry with a worker, in a turn or in a check' },
  },
  {
    name: 'a step that failed is tried without end',
    area: 'steps',
    file: NEXT,
    find: "return status === 'failed' && failures > retries;",
    replace: "return status === 'failed' && failures > retries + 1;",
    test: { file: NEXT_TEST, title: 'are retried as often as the rules say' },
  },
  {
    name: 'a failed step that is taken up again has no retry',
    area: 'steps',
    file: NEXT,
    find: "status: step.awaits === 'check' ? 'executing' : 'pending', failures: 0 },",
    replace: "status: step.awaits === 'check' ? 'executing' : 'pending' },",
    test: { file: NEXT_TEST, title: 'go on from the first that is not finished, with retries of their own' },
  },
  {
    name: 'a later run takes a turn again that ended well',
    area: 'steps',
    file: RECORDS,
    find: "const awaits = found !== 'done' && isThrough(lastOf(own)) ? 'check' : 'turn';",
    replace: "const awaits = found === 'done' && isThrough(lastOf(own)) ? 'check' : 'turn';",
    test: { file: RECORDS_TEST, title: 'runs the checks alone of a step whose turn ended well' },
  },
  {
    name: 'a step goes on in the conversation of another',
    area: 'steps',
    file: RECORDS,
    find: 'const talked = own.findLast(({ end }) => end?.did?.conversationId != null);',
    replace: 'const talked = work.find(({ end }) => end?.did?.conversationId != null);',
    test: {
      file: RECORDS_TEST,
      title: 'begins at the first step that is not done, with tries of its own and the conversation of that step',
    },
  },
  {
    name: 'a retry is told of the try of another step',
    area: 'steps',
    file: RECORDS,
    find: 'const before = ({ step }: Work) => step.seq === seq && step.attempt < attempt;',
    replace: 'const before = ({ step }: Work) => step.seq <= seq && step.attempt <= attempt;',
    test: { file: RECORDS_TEST, title: 'is told of the last try of its own step before it, or of the check of that' },
  },
  {
    name: 'a retry sees the head of the output',
    area: 'steps',
    file: 'activities/steps/end-of-text.ts',
    find: 'bytes.subarray(bytes.length - maxBytes)',
    replace: 'bytes.subarray(0, maxBytes)',
    test: {
      file: STEPS_TEST,
      title:
        'S-71, S-72: tries a failed step once more on the tree before it, with the end of its output, and keeps what it had changed',
    },
  },
  {
    name: 'the tree is not put back for a retry',
    area: 'steps',
    file: 'workflows/run/work/take-step.ts',
    find: 'if (retry && !work.keepTree) run.facts.headSha = start;',
    replace: 'if (!retry && !work.keepTree) run.facts.headSha = start;',
    test: {
      file: WORK_TEST,
      title: 'S-69: tries a step that tests again where its agent exits 0 and the tests are red',
    },
  },
  {
    name: 'a step that tests is done by its exit code',
    area: 'steps',
    file: 'protocol/run/step-check.ts',
    find: "if (verb === 'test') return 'commands';",
    replace: "if (verb === 'verify') return 'commands';",
    test: {
      file: WORK_TEST,
      title: 'S-69: tries a step that tests again where its agent exits 0 and the tests are red',
    },
  },
  {
    name: 'the answers of people reach no step',
    area: 'steps',
    file: 'activities/unit/item-record.ts',
    find: 'task: mergeAnswers(own.task, item.rounds ?? [])',
    replace: 'task: mergeAnswers(own.task, item.rounds?.slice(1) ?? [])',
    test: {
      file: STEPS_TEST,
      title:
        'S-62, S-63, S-64: tells the agent its step, the task with what people answered, the other steps with their commits, and the tests',
    },
  },
  {
    name: 'the model of a step is that with which its run began',
    area: 'steps',
    file: 'activities/steps/step-policy.ts',
    find: 'return policy.execute.stepModelByVerb;',
    replace: 'return policy === record.policy ? {} : record.policy.execute.stepModelByVerb;',
    test: {
      file: STEPS_TEST,
      title: 'S-65, S-66: gives each step the model of its verb, as the config says when the step starts',
    },
  },
  {
    name: 'a step is done whatever its verifier says',
    area: 'steps',
    file: 'protocol/run/step-check.ts',
    find: "return decision?.kind === 'verification' && decision.value === 'PASSED';",
    replace: "return decision?.kind === 'verification';",
    test: {
      file: WORK_TEST,
      title: 'S-69, S-73: stops at a step that is not accepted twice, and begins there again',
    },
  },
  {
    name: 'a judgement that was cut short has the turn taken again',
    area: 'steps',
    file: RECORDS,
    find: "step.kind === 'turn' || (end !== null && end.outcome !== 'unavailable')",
    replace: "step.kind === 'turn' || end === null || end.outcome !== 'unavailable'",
    test: {
      file: RECORDS_TEST,
      title:
        'has a step judged again whose judgement was cut short or could not be made, and takes no turn again for that',
    },
  },
  {
    name: 'commits of an agent are kept whatever their parents are',
    area: 'git',
    file: 'activities/git/run/keep-commits.ts',
    find: 'return parents.length === 1 && parents[0] === before;',
    replace: 'return parents.length > 0 && before !== null;',
    test: { file: 'test/unit/git/keep-commits.test.ts', title: 'are folded where they are %s' },
  },
  {
    name: 'a commit of an agent brings along what is never staged',
    area: 'git',
    file: 'activities/git/run/keep-commits.ts',
    find: 'if (fields.some((field, at) => at % 2 === 1 && git.isProtected(field))) return false;',
    replace: 'if (fields.some((field, at) => at % 2 === 0 && git.isProtected(field))) return false;',
    test: { file: 'test/unit/git/keep-commits.test.ts', title: 'are folded where one has a file that is never staged' },
  },
];
