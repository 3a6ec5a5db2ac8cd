/** What a run leaves for its landing: which checks its evidence is about, and where its change lies. */
import type { Mutant } from '../mutant.js';

const QUEUE = 'workflows/merge-queue/queue-table.ts';
const TABLE = 'test/unit/workflows/queue-table.test.ts';
const ONCE = 'lands each head once, in a chain without gaps, and tells its owner, whatever happens around it';
const INPUT = 'test/unit/protocol/any-input.test.ts';
const POINT = 'test/unit/run/rewind-point.test.ts';
const RESULT = 'test/workflow/run-result.test.ts';
const CLEAN_QUEUES = 'test/unit/run/clean-queues.test.ts';

export const LANDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a host that is away keeps the heads of all others waiting',
    area: 'landing',
    file: 'workflows/activity-options.ts',
    find: '...(isOneOfMany ? { scheduleToStartTimeout: BUSY_CHECKS_MS } : {}),',
    replace: '...(isOneOfMany ? { scheduleToStartTimeout: 100 * BUSY_CHECKS_MS } : {}),',
    test: {
      file: 'test/workflow/check-away.test.ts',
      title: 'that others can do is given up where its host takes none for half an hour',
    },
  },
  {
    name: 'checks of an earlier commit are evidence of the head',
    area: 'landing',
    file: 'workflows/run/close-run.ts',
    find: 'facts.evidence.validation === head ? facts.checked : null',
    replace: 'facts.checked',
    test: {
      file: RESULT,
      title: 'has no evidence where the head is another commit than the one that was checked',
    },
  },
  {
    name: 'a run that changed nothing has a change to land',
    area: 'landing',
    file: 'workflows/run/close-run.ts',
    find: 'if (opened === null || run.head === opened.baseSha) return null;',
    replace: 'if (opened === null) return null;',
    test: { file: RESULT, title: 'has no source where the run changed nothing' },
  },
  {
    name: 'the owner of a run that was never open hears nothing',
    area: 'landing',
    file: 'workflows/run/close-run.ts',
    find: 'await run.news.close();',
    replace: 'if (isOpened) await run.news.close();',
    test: { file: RESULT, title: 'is told of a run that was ended before it was open' },
  },
  {
    name: 'a withdrawn link stays in the chain',
    area: 'landing',
    file: 'workflows/merge-queue/queue-withdrawal.ts',
    find: 'end(makeAnewFrom(rest, id), id',
    replace: 'end(rest, id',
    test: { file: TABLE, title: ONCE },
  },
  {
    name: 'a link is withdrawn before it is known whether the base has it',
    area: 'landing',
    file: 'workflows/merge-queue/queue-withdrawal.ts',
    find: "const isLinkFree = base === 'known' && !isAtWork",
    replace: 'const isLinkFree = !isAtWork',
    test: { file: TABLE, title: ONCE },
  },
  {
    name: 'a chain goes on from a base that was moved otherwise',
    area: 'landing',
    file: QUEUE,
    find: 'return stands || rest[0] === undefined ? merged : makeAnewFrom(merged, rest[0].entry);',
    replace: 'return merged;',
    test: { file: TABLE, title: ONCE },
  },
  {
    name: 'the refs of a merge queue keep the commits of a run',
    area: 'landing',
    file: 'activities/git/refs/run-refs.ts',
    find: ", 'refs/sluice/@*'];",
    replace: '];',
    test: {
      file: 'test/unit/git/run-refs.test.ts',
      title:
        'are no reason by themselves to keep a commit, nor is a worktree that stands on the branch, nor a merge queue',
    },
  },
  {
    name: 'a run is cleaned while it is being landed',
    area: 'landing',
    file: 'activities/closing/clean-run.ts',
    find: 'if (await deps.isOpen(landing, null))',
    replace: 'if (!giveUp && (await deps.isOpen(landing, null)))',
    test: { file: 'test/unit/run/clean-run.test.ts', title: 'while its landing is open, given up or not' },
  },
  {
    name: 'each run of the host is looked at for the end of a landing',
    area: 'landing',
    file: 'worker/ask-server.ts',
    find: 'if (executionRunId !== null) closed(workflowId);',
    replace: 'closed(workflowId);',
    test: {
      file: 'test/unit/run/ask-server.test.ts',
      title: 'tells of a closed execution that an activity outlived, and of no other',
    },
  },
  {
    name: 'findings are mended only where the source was mended before',
    area: 'landing',
    file: 'activities/opening/rewind-point.ts',
    find: 'const goesOn = fromStage === ahead || findings !== undefined;',
    replace: 'const goesOn = fromStage === ahead;',
    test: {
      file: POINT,
      title: 'enters fixing where its source ended, though that never did, with these findings and no review',
    },
  },
  {
    name: 'checks of the source count where a run begins at another commit',
    area: 'landing',
    file: 'activities/opening/rewind-point.ts',
    find: 'context: { ...point.context, ...NO_CHECKS },',
    replace: 'context: point.context,',
    test: { file: POINT, title: 'begins at the commit that it is given, of which no checks and no decision are known' },
  },
  {
    name: 'an approval of the source counts where a run begins at another commit',
    area: 'landing',
    file: 'activities/opening/rewind-point.ts',
    find: '          approved: false,',
    replace: '',
    test: { file: POINT, title: 'begins at the commit that it is given, of which no checks and no decision are known' },
  },
  {
    name: 'code of the source is gone back to where a run began at another commit',
    area: 'landing',
    file: 'activities/opening/rewind-point.ts',
    find: 'point.before.filter(({ stage }) => !hasCode(stage))',
    replace: 'point.before',
    test: { file: POINT, title: 'inherits no code of its source where it begins at another commit' },
  },
  {
    name: 'a run that is gone back to has lost what it was to mend',
    area: 'landing',
    file: 'activities/opening/rewind-point.ts',
    find: 'if (index === own && fromStage === beganAt?.fromStage)',
    replace: 'if (index === own && beganAt !== null && fromStage === ahead)',
    test: { file: POINT, title: 'is itself gone back to with what it was given' },
  },
  {
    name: 'findings begin any stage',
    area: 'landing',
    file: 'protocol/messages/rewind-input.ts',
    find: '(stage === undefined || !isInRound(stage) || !areFindings(findings))',
    replace: '(stage === undefined || !areFindings(findings))',
    test: { file: INPUT, title: 'is refused by the field %s that is %j' },
  },
  {
    name: 'whoever rings while the base is looked at is not heard',
    area: 'landing',
    file: QUEUE,
    find: 'before.lookAtMs <= now ? before.lookAtMs : null',
    replace: 'before.lookAtMs < 0 ? before.lookAtMs : null',
    test: { file: TABLE, title: 'looks again for whoever rang while it looked' },
  },
  {
    name: 'a link is given up though somebody was promised the chain',
    area: 'landing',
    file: 'workflows/merge-queue/queue-withdrawal.ts',
    find: '!isAtWork && takenUntilMs === null;',
    replace: '!isAtWork;',
    test: {
      file: 'test/unit/workflows/queue-table.test.ts',
      title: 'lands each head once, in a chain without gaps, and tells its owner, whatever happens around it',
    },
  },
  {
    name: 'a landing is given up before its queue has said anything',
    area: 'landing',
    file: 'workflows/landing/landing-queue.ts',
    find: 'return { state: { ...state, phase: leaves }, errands: withdraw(leaves) };',
    replace:
      "return { state: { ...state, phase: { kind: 'abandoned', why: 'given up', held: null } }, errands: withdraw(leaves) };",
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'is given up only once the queue has said that it did not land',
    },
  },
  {
    name: 'what became of another entry counts for this one',
    area: 'landing',
    file: 'workflows/landing/landing-queue.ts',
    find: "if (phase.kind !== 'queued' || phase.entry.id !== change.id) return rest(state);",
    replace: "if (phase.kind !== 'queued') return rest(state);",
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'believes of its own entry alone, and no older word of it',
    },
  },
  {
    name: 'a landing believes an older word of its queue',
    area: 'landing',
    file: 'workflows/landing/landing-queue.ts',
    find: 'if (phase.heard !== null && change.version <= phase.heard.version) return rest(state);',
    replace: '',
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'believes of its own entry alone, and no older word of it',
    },
  },
  {
    name: 'a landing sends its entry again as often as at first',
    area: 'landing',
    file: 'workflows/actor/back-off.ts',
    find: 'const everyMs = Math.min(2 * before.everyMs, backOff.lastMs);',
    replace: 'const everyMs = Math.min(before.everyMs, backOff.lastMs);',
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'sends its entry again, each time later, and what it withdraws with it',
    },
  },
  {
    name: 'a queue that was lost is not told again what is withdrawn',
    area: 'landing',
    file: 'workflows/landing/landing-queue.ts',
    find: 'errands: [send(phase), ...withdraw(phase)] };',
    replace: 'errands: [send(phase)] };',
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'sends its entry again, each time later, and what it withdraws with it',
    },
  },
  {
    name: 'what an open merge queue works with is cleaned',
    area: 'landing',
    file: 'activities/closing/clean-queues.ts',
    find: 'if (queue === null || (await deps.isOpen(mergeQueueId(queue), null))) return [];',
    replace: 'if (queue === null) return [];',
    test: {
      file: CLEAN_QUEUES,
      title:
        'goes with its folder, checkout, mark and refs where the server says that the queue is over, and no other queue loses anything',
    },
  },
  {
    name: 'a merge queue that opens does not wait for who cleans its folder',
    area: 'landing',
    file: 'activities/unit/queue-folder.ts',
    find: 'return withRepositoryLock(stateDir, async () => {',
    replace: 'return Promise.resolve().then(async () => {',
    test: {
      file: CLEAN_QUEUES,
      title: 'is whole again for an activity of a queue that was opened after the server had answered',
    },
  },
  {
    name: 'what names a merge queue is removed with the rest',
    area: 'landing',
    file: 'activities/closing/clean-queues.ts',
    find: 'await removeCheckout({ stateDir,',
    replace: 'await removeFolder(stateDir); await removeCheckout({ stateDir,',
    test: { file: CLEAN_QUEUES, title: 'is finished by the next call where a removal was cut off' },
  },
  {
    name: 'clean leaves what merge queues left',
    area: 'landing',
    file: 'activities/closing/clean-run.ts',
    find: ', ...(await cleanQueues(deps, run))];',
    replace: '];',
    test: { file: 'test/unit/run/clean-run.test.ts', title: 'takes along what merge queues that are over left' },
  },
  {
    name: 'a build of the server outlives who asked for it',
    area: 'landing',
    file: 'worker/local-engine/server-binary/go-build.ts',
    find: '(read -r _ <&3; kill -KILL -$$)',
    replace: '(read -r _ <&3)',
    test: {
      file: 'test/unit/engine/server-binary.test.ts',
      title: 'ends, compilers and all, with a process that is killed while it builds',
    },
  },
  {
    name: 'a look at the base looks for all watched heads at once, for longer than it may last',
    area: 'landing',
    file: 'workflows/merge-queue/queue-watch.ts',
    find: '.slice(0, MAX_LOOKED_FOR)',
    replace: '.slice(0)',
    test: {
      file: 'test/unit/workflows/queue-table.test.ts',
      title: 'looks for a thousand watched heads a few at a time, and for each of them',
    },
  },
  {
    name: 'conflict markers that an attribute makes longer land',
    area: 'landing',
    file: 'activities/git/merge/repair-commits.ts',
    find: '<{7,}|>{7,}|\\|{7,}',
    replace: '<{7}|>{7}|\\|{7}',
    test: {
      file: 'test/unit/git/repair-commits.test.ts',
      title: '%s',
    },
  },
  {
    name: 'a landing that nobody tells of any more counts as settled',
    area: 'landing',
    file: 'client/cli/landing/follow-landings.ts',
    find: "if (isAway) return { kind: 'server_away' };",
    replace: "if (isAway) return { kind: 'settled', views };",
    test: { file: 'test/unit/client/land.test.ts', title: 'are left where the server stays away, which is told' },
  },
  {
    name: 'a chain of which nothing is known counts as taken',
    area: 'landing',
    file: 'client/cli/landing/take-chain.ts',
    find: "if (view === null) return tellNotTaken(context, branch, 'its merge queue did not say what is ready');",
    replace: 'if (view === null) return true;',
    test: { file: 'test/unit/client/land.test.ts', title: 'is not taken where its queue %s' },
  },
  {
    name: 'a link that is withdrawn lands by the green checks of another',
    area: 'landing',
    file: 'workflows/merge-queue/queue-table.ts',
    find: "return isStill(state) ? change(seen, id, { state: 'waiting' }) : land(seen, entry);",
    replace: 'return land(seen, entry);',
    test: {
      file: 'test/unit/workflows/queue-table.test.ts',
      title: 'lands no link that is %s by the green checks of another',
    },
  },
  {
    name: 'what is wanted back of a queue that was lost lands',
    area: 'landing',
    file: 'workflows/merge-queue/enqueue.ts',
    find: "state: entry.watch || withdrawn ? 'watched' : 'waiting',",
    replace: "state: entry.watch ? 'watched' : 'waiting',",
    test: {
      file: 'test/unit/workflows/queue-table.test.ts',
      title: 'only looks for what its owner wants back, where a queue before it was lost: landed is %s',
    },
  },
];
