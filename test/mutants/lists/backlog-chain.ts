/** Of tasks that begin behind what is ready, of resets, and of a backlog that is begun anew. */
import type { Mutant } from '../mutant.js';

const MODEL = 'test/unit/backlog/backlog-model.test.ts';
const FORMER = 'test/unit/run/former-run.test.ts';
const TABLE = 'test/unit/backlog/item-table.test.ts';
const ANEW = 'test/unit/git/made-anew.test.ts';
const NO_LINK =
  'is none where what was merged is not there, where somebody put something of their own into it, or where it is no merge';
const FROM_TIP =
  'begins behind what is ready in the chain of its base, unless the config says otherwise or the base is elsewhere by now';
const ANEW_TITLE =
  'start nothing above the limit where the backlog is ended and begun anew, before all that is open has told how it stands';
const UNKNOWN_TITLE = 'ask the server again which tasks are open where it did not tell, and wait for none that is gone';

export const BACKLOG_CHAIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a task that is to start from the base starts with a dependency that waits in the chain',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: "terms.from === 'tip' && rows.some(",
    replace: 'rows.some(',
    test: { file: MODEL, title: 'start from the base: a task whose dependency is ready in the chain is one of []' },
  },
  {
    name: 'a backlog is not told that a change is not ready any more',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
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
    find: "return phase.kind === 'queued' && phase.heard?.state === 'ready' ? 'ready' : 'waiting';",
    replace: "return 'waiting';",
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title:
        'tells the item of the run when its head is ready, when it is not any more, and when it is on the base, each once, and nobody else',
    },
  },
  {
    name: 'a task begins behind a chain that its base has left',
    area: 'backlog',
    file: 'activities/opening/first-run.ts',
    find: "return (await readAncestry(repository, base.sha, tip)) === 'ancestor' ? tip : base.sha;",
    replace: 'return tip;',
    test: { file: FORMER, title: FROM_TIP },
  },
  {
    name: 'a task never begins behind the chain of its base',
    area: 'backlog',
    file: 'activities/opening/open-run.ts',
    find: 'const baseSha = await startOfFirst(repository, atBase.policy, { base, repoKey });',
    replace: 'const baseSha = base.sha;',
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
    find: " && merge.tree === (await git.run(['rev-parse', `${commit}^{tree}`])).trim();",
    replace: ';',
    test: { file: ANEW, title: NO_LINK },
  },
  {
    name: 'an item that was reset says queued while its run is at work',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'rest(found.branch === null ? state : runsNow(state, run, now))',
    replace: 'rest(state)',
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
    find: 'const mayStart = !isPaused && unheard?.length === 0;',
    replace: 'const mayStart = !isPaused && unheard?.length !== 7;',
    test: { file: MODEL, title: ANEW_TITLE },
  },
  {
    name: 'a backlog that is begun anew does not ask those that are open',
    area: 'backlog',
    file: 'workflows/backlog/rebuild.ts',
    find: 'return { state: { ...state, unheard }, errands };',
    replace: 'return { state: { ...state, unheard: errands.length < 0 ? unheard : [] }, errands: [] };',
    test: { file: MODEL, title: ANEW_TITLE },
  },
  {
    name: 'a backlog waits for ever for a task that is gone',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'return seekRun(withHeard(state, event.id), event.id);',
    replace: 'return seekRun(state, event.id);',
    test: { file: MODEL, title: UNKNOWN_TITLE },
  },
  {
    name: 'the server is not asked again which tasks are open',
    area: 'backlog',
    file: 'workflows/backlog/rebuild.ts',
    find: 'seekAtMs: now + AGAIN_MS',
    replace: 'seekAtMs: now > 0 ? null : AGAIN_MS',
    test: { file: MODEL, title: UNKNOWN_TITLE },
  },
];
