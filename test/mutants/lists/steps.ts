/** Of tasks that are judged and planned before they run. */
import type { Mutant } from '../mutant.js';

const ITEM = 'test/unit/backlog/item-admission.test.ts';
const ADMISSION = 'workflows/item/item-admission.ts';
const JUDGE = 'workflows/item/item-judge.ts';
const TREE = 'test/unit/ask/ask-tree.test.ts';
const QUESTIONS = 'S-44, S-45: waits for answers where there are questions, and is judged again with them';
const REJECTED =
  'S-31, S-42, S-43: is closed where it is rejected, with the reason, whatever else was asked, and its plan is called off';
const WITH_PLAN = 'S-39: is approved for the plan that is meant, and for none that is gone';

export const STEPS_MUTANTS: readonly Mutant[] = [
  {
    name: 'an approval counts whatever plan it names',
    area: 'steps',
    file: JUDGE,
    find: 'if (planHash !== null && planHash !== hash)',
    replace: "if (planHash === '' && planHash !== hash)",
    test: { file: ITEM, title: WITH_PLAN },
  },
  {
    name: 'a plan that failed is approved as if it were there',
    area: 'steps',
    file: JUDGE,
    find: "if ((isMissing || reason === 'classify_failed') && choice === null)",
    replace: "if (isMissing && reason === 'classify_failed' && choice === null)",
    test: {
      file: ITEM,
      title:
        'S-29, S-37: waits for a person where nobody could judge or plan it, who has it planned again or run as it is',
    },
  },
  {
    name: "an agent's approval counts",
    area: 'steps',
    file: JUDGE,
    find: 'return input.admission?.allowAgentApproval === true;',
    replace: 'return input.admission?.allowAgentApproval !== null;',
    test: { file: ITEM, title: 'S-51: is no agent, unless the config says so' },
  },
  {
    name: 'answers to a round that is over count',
    area: 'steps',
    file: JUDGE,
    find: 'if (round !== now)',
    replace: 'if (round < 0)',
    test: {
      file: ITEM,
      title: 'S-47: is not answered by too few, by nothing, or by answers to a round that is over',
    },
  },
  {
    name: 'a question without an answer is taken for answered',
    area: 'steps',
    file: 'protocol/admission/clarify-text.ts',
    find: 'if (empty.length > 0)',
    replace: 'if (empty.length > questions.length)',
    test: {
      file: ITEM,
      title: 'S-47: is not answered by too few, by nothing, or by answers to a round that is over',
    },
  },
  {
    name: 'a plan is not called off where its task is rejected',
    area: 'steps',
    file: ADMISSION,
    find: "if (before.state !== 'admitting' || state.state === 'admitting' || asks.length === 0) return step;",
    replace: "if (before.state !== 'parked' || state.state === 'admitting' || asks.length === 0) return step;",
    test: { file: ITEM, title: REJECTED },
  },
  {
    name: 'what was asked in a pass that is over counts in the next',
    area: 'steps',
    file: ADMISSION,
    find: 'return admission?.pass === pass && admission.asking.includes(ask);',
    replace: 'return admission !== null && (admission.pass >= pass || admission.asking.includes(ask));',
    test: { file: ITEM, title: QUESTIONS },
  },
  {
    name: 'the next pass is not told what people answered',
    area: 'steps',
    file: ADMISSION,
    find: 'const admission = { ...NOT_ASKED, rounds: before.rounds, pass: before.pass + 1 };',
    replace: 'const admission = { ...NOT_ASKED, pass: before.pass + 1 };',
    test: { file: ITEM, title: QUESTIONS },
  },
  {
    name: 'a task that was never admitted runs when it is taken up again',
    area: 'steps',
    file: ADMISSION,
    find: 'admission?.isPassed !== true;',
    replace: 'admission?.isPassed === null;',
    test: {
      file: ITEM,
      title: 'is judged before it runs where it is taken up again, and nothing that is known is asked twice',
    },
  },
  {
    name: 'a task that ran is judged before it goes on',
    area: 'steps',
    file: ADMISSION,
    find: '!== null && runs === 0 &&',
    replace: '!== null && runs >= 0 &&',
    test: { file: ITEM, title: 'that ran before is not judged when it is taken up, parked, and taken up once more' },
  },
  {
    name: 'a small task passes by the gate that it was handed in with',
    area: 'steps',
    file: 'workflows/item/route-item.ts',
    find: "if (before.input.gate === 'start')",
    replace: "if (before.input.gate === 'start' && before.runs > 0)",
    test: {
      file: ITEM,
      title: 'S-41: starts without a person where it is small and the config says so, but not past a gate of its own',
    },
  },
  {
    name: 'a rejection is less than its questions',
    area: 'steps',
    file: 'protocol/admission/route-admission.ts',
    find: "if (scope === 'reject') return",
    replace: "if (scope === 'reject' && questions.length === 0) return",
    test: { file: ITEM, title: REJECTED },
  },
  {
    name: 'questions are asked without end',
    area: 'steps',
    file: 'protocol/admission/route-admission.ts',
    find: 'if (round <= terms.maxRounds) return',
    replace: 'if (round <= terms.maxRounds + 1) return',
    test: {
      file: ITEM,
      title: 'S-49: is asked three rounds of questions, and then waits for a person, with a plan',
    },
  },
  {
    name: 'a confidence that is too low is not looked at',
    area: 'steps',
    file: 'protocol/admission/route-admission.ts',
    find: 'if (confidence < terms.minConfidence)',
    replace: 'if (confidence < 0)',
    test: {
      file: ITEM,
      title: 'S-30: waits for a person where the classifier is less sure than is asked for',
    },
  },
  {
    name: 'the file of questions stays where nobody waits for an answer',
    area: 'steps',
    file: ADMISSION,
    find: "if (wereOpen === (state.state === 'clarifying')) return step;",
    replace: "if (wereOpen || state.state !== 'clarifying') return step;",
    test: { file: ITEM, title: 'takes its questions back where nobody waits for an answer any more' },
  },
  {
    name: 'an ask takes a checkout that another config made',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: 'return (await same) && moved;',
    replace: 'return (await same) || moved;',
    test: { file: TREE, title: 'is made anew once git of the person would write its files in another way' },
  },
  {
    name: 'a filter that its person took out is started for a kept checkout',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: "if (made.text.includes('[filter '))",
    replace: "if (made.text.includes('[filters '))",
    test: {
      file: TREE,
      title: 'is made anew without the filter that its person has taken out, which is not started again',
    },
  },
  {
    name: 'a broken checkout is taken again and again',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: 'gitDirOf(workplace.checkout)).catch(() => null);',
    replace: 'gitDirOf(workplace.checkout));',
    test: { file: TREE, title: 'is made anew where its git lacks %s' },
  },
  {
    name: 'half a checkout is taken',
    area: 'steps',
    file: 'activities/ask/kept-trees.ts',
    find: '.filter((name) => !name.startsWith(GIVEN_UP))',
    replace: ".filter((name) => name !== '')",
    test: { file: TREE, title: 'is no more to be had, nor counted, once it is being removed' },
  },
  {
    name: 'an ask takes no checkout of another',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: 'if (lookAt(whole) === null) takeKeptTree',
    replace: 'if (lookAt(whole) !== null) takeKeptTree',
    test: { file: TREE, title: 'is the same folder for the next planner, at the commit of that one' },
  },
  {
    name: 'an ask leaves a checkout that says that it is still its own',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: '  await dropOwner(checkout);',
    replace: '  await dropOwner(whole);',
    test: { file: TREE, title: 'is the same folder for the next planner, at the commit of that one' },
  },
  {
    name: 'asks leave any number of checkouts',
    area: 'steps',
    file: 'activities/ask/kept-trees.ts',
    find: 'listKept(dir).length < MAX_KEPT',
    replace: 'listKept(dir).length < Infinity',
    test: { file: TREE, title: 'is as many checkouts as ask at once, and no more' },
  },
  {
    name: 'an ask leaves to others what was moved aside for it',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: 'readdirSync(whole).length === 3',
    replace: 'readdirSync(whole).length >= 3',
    test: {
      file: TREE,
      title: 'is nobody else’s where a repository was found in the place of its git, which the engine moved aside',
    },
  },
  {
    name: 'a checkout that was just left goes',
    area: 'steps',
    file: 'activities/ask/kept-trees.ts',
    find: 'found.mtimeMs < since',
    replace: 'found.mtimeMs > 0',
    test: { file: TREE, title: 'goes where nobody took it for a day, also what a removal that was killed left' },
  },
  {
    name: 'a checkout that a planner took away counts as unchanged',
    area: 'steps',
    file: 'activities/ask/ask-tree.ts',
    find: "return ['all of its files'];",
    replace: 'return [];',
    test: { file: TREE, title: 'is the commit of its task, and whatever of it is changed is known' },
  },
  {
    name: 'an ask fails where kept trees lie on a disk of their own',
    area: 'steps',
    file: 'activities/ask/kept-trees.ts',
    find: "new Set(['ENOENT', 'EACCES', 'EXDEV'])",
    replace: "new Set(['ENOENT', 'EACCES'])",
    test: { file: TREE, title: 'goes where it lies on a disk of its own' },
  },
  {
    name: 'a worker leaves kept trees for ever',
    area: 'steps',
    file: 'worker/sweep-worktrees.ts',
    find: '  await sweepTrees(sweeping, now);',
    replace: '',
    test: { file: 'test/unit/run/give-back-room.test.ts', title: 'removes the checkouts that no ask took for a day' },
  },
];
