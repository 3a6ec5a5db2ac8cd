/** Of tasks that begin behind what is ready, of resets, and of a backlog that is begun anew. */
import type { Mutant } from '../mutant.js';

const MODEL = 'test/unit/backlog/backlog-model.test.ts';
const FORMER = 'test/unit/run/former-run.test.ts';
const TABLE = 'test/unit/backlog/item-table.test.ts';
const ANEW = 'test/unit/git/made-anew.test.ts';
const NO_LINK =
  'is none where what was merged is not there, where somebody put something of their own into it, or where it is no merge';
const BEHIND_ALL =
  'begins behind every change that it depends on: it waits while one is merged anew, and is refused where one was given up';
const FROM_TIP =
  'begins behind what is ready in the chain of its base, unless the config says otherwise or the base is elsewhere by now';
const ANEW_TITLE =
  'start nothing above the limit where the backlog is ended and begun anew, before all that is open has told how it stands';
const UNKNOWN_TITLE = 'ask the server again which tasks are open where it did not tell, and wait for none that is gone';

export const BACKLOG_CHAIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'an item is asked whenever another one is',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'askAtOf(row) <= now + ASK.firstMs / 2',
    replace: 'askAtOf(row) >= 0',
    test: {
      file: 'test/unit/backlog/backlog-answers.test.ts',
      title: 'asks a task that waits for a person no oftener for what another one says while a third waits for a slot',
    },
  },
  {
    name: 'another clone of a name gives the backlog its own terms',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'before.home.repoKey !== repoKey',
    replace: "before.home.repoKey === ''",
    test: {
      file: 'test/unit/backlog/closings.test.ts',
      title:
        'is kept, as are the terms of the backlog, where another clone of the name refuses what was handed in there',
    },
  },
  {
    name: 'a blocked run that a person landed leaves its task open',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'result?.hasChange === true',
    replace: "result?.outcome === 'merge_ready'",
    test: {
      file: 'test/unit/backlog/item-table.test.ts',
      title: 'is done where a person landed the change of a run that was %s',
    },
  },
  {
    name: 'a task that is to start from the base starts with a dependency that waits in the chain',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: "terms.from === 'tip' ? rows.all.filter((row) => row.ready !== null) : []",
    replace: 'rows.all.filter((row) => row.ready !== null || terms.maxConcurrent < 0)',
    test: {
      file: MODEL,
      title: 'start a task whose dependency is ready in the chain, unless they start from the base',
    },
  },
  {
    name: 'a backlog is not told that a change is not ready any more',
    area: 'backlog',
    file: 'workflows/item/item-report.ts',
    find: "'since', 'ready', 'needs'",
    replace: "'since', 'needs'",
    test: {
      file: TABLE,
      title: 'tells its backlog when its change is ready in the chain, and when it is not any more',
    },
  },
  {
    name: 'a landing tells the item only that its head is merged',
    area: 'backlog',
    file: 'workflows/landing/landing-table.ts',
    find: "= { ready: 'ready', watched: 'waiting' };",
    replace: "= { watched: 'waiting' };",
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title:
        'tells the item of the run when the engine lands its head, when that is ready, when it is not any more, and when it is on the base, each once, and nobody else',
    },
  },
  {
    name: 'a task begins behind a chain that its base has left',
    area: 'backlog',
    file: 'activities/unit/chain-tip.ts',
    find: 'tip: isBehind ? at : last',
    replace: 'tip: last',
    test: { file: FORMER, title: FROM_TIP },
  },
  {
    name: 'a task never begins behind the chain of its base',
    area: 'backlog',
    file: 'activities/opening/open-run.ts',
    find: 'const baseSha = await startOfFirst(deps, repository, { policy: atBase.policy, base, repoKey, behind });',
    replace: 'const baseSha = behind.length < 0 ? repoKey : base.sha;',
    test: { file: FORMER, title: FROM_TIP },
  },
  {
    name: 'a link counts as made anew though a head in it was taken out',
    area: 'backlog',
    file: 'activities/git/merge/made-anew.ts',
    find: 'if (inside.exitCode !== 0 || !(await isPlainMerge',
    replace: 'if (!(await isPlainMerge',
    test: { file: ANEW, title: NO_LINK },
  },
  {
    name: 'a link counts as made anew though somebody changed it by hand',
    area: 'backlog',
    file: 'activities/git/merge/made-anew.ts',
    find: ' && merge.tree === (await treeOf(git, commit));',
    replace: ';',
    test: { file: ANEW, title: NO_LINK },
  },
  {
    name: 'an item that was reset says queued while its run is at work',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'if (found.branch === null || run.word !== before) return rest(state);',
    replace: 'if (found.branch !== undefined) return rest(state);',
    test: {
      file: TABLE,
      title:
        'takes another run id where a stranger has its own, and goes on with a run that it started before it was reset',
    },
  },
  {
    name: 'a backlog that is begun anew starts tasks before all that are open have told',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: 'terms.maxConcurrent - rows.sums.slots - unheard.length;',
    replace: 'terms.maxConcurrent - rows.sums.slots;',
    test: { file: MODEL, title: ANEW_TITLE },
  },
  {
    name: 'a backlog that is begun anew does not ask those that are open',
    area: 'backlog',
    file: 'workflows/backlog/rebuild.ts',
    find: 'errands: unheard.slice(0, AT_ONCE).map((id) => askOf(state, id))',
    replace: 'errands: unheard.slice(0, 0).map((id) => askOf(state, id))',
    test: { file: MODEL, title: ANEW_TITLE },
  },
  {
    name: 'a backlog waits for ever for a task that is gone',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'return joined(withHeard(state, event.id), (heard) => seekRun(heard, event.id));',
    replace: 'return seekRun(state, event.id);',
    test: { file: MODEL, title: UNKNOWN_TITLE },
  },
  {
    name: 'the server is not asked again which tasks are open',
    area: 'backlog',
    file: 'workflows/backlog/rebuild.ts',
    find: 'return { ...state, seek: { atMs: now + everyMs, everyMs } };',
    replace: 'return { ...state, seek: { atMs: now < 0 ? now : null, everyMs } };',
    test: { file: MODEL, title: UNKNOWN_TITLE },
  },
  {
    name: 'a task begins without a change that it depends on, while that is merged anew',
    area: 'backlog',
    file: 'activities/opening/first-run.ts',
    find: 'throw others.includes(owner) || isBehind ? notYet(runId) : givenUp(runId);',
    replace: 'if (others.includes(owner) || isBehind) continue; else throw givenUp(runId);',
    test: { file: FORMER, title: BEHIND_ALL },
  },
  {
    name: 'a task begins without a change that it depends on, once that was given up',
    area: 'backlog',
    file: 'activities/opening/first-run.ts',
    find: 'throw others.includes(owner) || isBehind ? notYet(runId) : givenUp(runId);',
    replace: 'if (others.includes(owner) || isBehind) throw notYet(runId); else givenUp(runId);',
    test: { file: FORMER, title: BEHIND_ALL },
  },
  {
    name: 'a grant does not name what the run must begin behind',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: 'return needs.flatMap((id) => ready.get(id) ?? []);',
    replace: 'return needs.flatMap((id) => (ready.has(id) ? [] : []));',
    test: { file: MODEL, title: 'start behind the changes that they depend on and that are not on their base yet' },
  },
  {
    name: 'a task that was deleted lands all the same',
    area: 'backlog',
    file: 'workflows/item/item-words.ts',
    find: 'return { ...step, errands: [...step.errands, ...stopLanding(step.state)] };',
    replace: 'return { ...step, errands: [...step.errands, ...stopLanding({ ...step.state, result: null })] };',
    test: { file: TABLE, title: 'that waits to be landed lands no more once a person decides about it' },
  },
  {
    name: 'a task hears of the landing of a run before its last',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'return isOfLast ? closeLanded(',
    replace: 'return isOfLast || runId !== null ? closeLanded(',
    test: { file: TABLE, title: 'hears nothing of the landing of a run before its last' },
  },
  {
    name: 'a queue that is begun anew counts from nothing, and is not heard',
    area: 'backlog',
    file: 'workflows/merge-queue/enqueue.ts',
    find: 'version: now,',
    replace: 'version: now < 0 ? now : 0,',
    test: {
      file: 'test/unit/workflows/queue-table.test.ts',
      title:
        'is heard again where somebody ended it and it is begun anew: what it says of an entry is newer than all that it said before',
    },
  },
];
