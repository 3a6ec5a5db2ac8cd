/** Hosts, backlogs and machines that are away or full for a while: what waits for them, and what goes on without. */
import type { Mutant } from '../mutant.js';

const AWAY = 'test/unit/workflows/landing-away.test.ts';
const HAND_IN = 'test/unit/workflows/hand-in.test.ts';

export const ABSENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a landing that nobody attends is given up with a host that is away',
    area: 'landing',
    file: 'workflows/landing/landing-away.ts',
    find: 'const isUnattended = !isAsked && !attended;',
    replace: "const isUnattended = !isAsked && !attended && state.self === '';",
    test: { file: AWAY, title: 'waits for it and begins again, however long, where nobody attends' },
  },
  {
    name: 'a pull request is looked at no more once its host was away',
    area: 'forge',
    file: 'workflows/landing/landing-away.ts',
    find: 'isUnattended || phase.isShown ?',
    replace: 'isUnattended ?',
    test: {
      file: AWAY,
      title: 'goes on looking at what a forge shows (attended: %s), which people may merge meanwhile',
    },
  },
  {
    name: 'a repair whose plan its host could not tell is never planned',
    area: 'landing',
    file: 'workflows/landing/landing-repair.ts',
    find: 'if (phase.runId === null) return plan(state, phase.repair, null);',
    replace: 'if (phase.runId === null) return rest(state);',
    test: { file: AWAY, title: 'plans its repair later where nobody attends' },
  },
  {
    name: 'changes are asked of a run of which nothing is known',
    area: 'landing',
    file: 'workflows/landing/landing-gates.ts',
    find: 'run !== null && run.source !== null ?',
    replace: 'run?.source !== null ?',
    test: { file: AWAY, title: 'offers no changes where nothing of the run is known any more' },
  },
  {
    name: 'a task whose backlog failed for a minute is dropped',
    area: 'backlog',
    file: 'workflows/batch/refused-hand-in.ts',
    find: 'cause instanceof TimeoutFailure || retryState === RetryState.TIMEOUT',
    replace: 'cause instanceof TimeoutFailure',
    test: { file: HAND_IN, title: '%s %s' },
  },
  {
    name: 'a backlog that was ended over a task has refused it',
    area: 'backlog',
    file: 'worker/control-activities.ts',
    find: 'type === UNPROCESSED_UPDATE || type === COMPLETED_UPDATE',
    replace: 'type === UNPROCESSED_UPDATE',
    test: { file: HAND_IN, title: 'is handed in again where %s' },
  },
  {
    name: 'a patch of 70 MB is taken apart',
    area: 'limits',
    file: 'activities/git/inspect/diff.ts',
    find: '{ maxBytes: MAX_DIFF_BYTES }',
    replace: '{ maxBytes: 2 * MAX_DIFF_BYTES }',
    test: {
      file: 'test/unit/security/sizes.test.ts',
      title: 'is refused before the worker, whose heap is bounded, takes it apart',
    },
  },
  {
    name: 'a worker whose log is on a full disk ends of it',
    area: 'engine',
    file: 'worker/logger.ts',
    find: "destination.on('error', () => undefined);",
    replace: '',
    test: { file: 'test/unit/engine/worker-logger.test.ts', title: 'is gone on without, whatever is logged' },
  },
  {
    name: 'a host that is away keeps the tasks of all others waiting',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'const able = creates.filter(({ host }) => !waits.has(host));',
    replace: 'const able = waits.size >= 0 ? creates : [];',
    test: {
      file: 'test/unit/backlog/backlog-answers.test.ts',
      title:
        'takes in what came for other hosts while one is away, tells whose task is only kept, and asks that one again in time',
    },
  },
  {
    name: 'of two hosts that are away one is forgotten',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'away: [...state.away.filter((one) => one !== known), kept]',
    replace: 'away: [kept]',
    test: {
      file: 'test/unit/backlog/backlog-answers.test.ts',
      title: 'asks each of two hosts that are away in its own time',
    },
  },
  {
    name: 'a host looks for heads of which another has the records',
    area: 'forge',
    file: 'workflows/merge-queue/queue-watch.ts',
    find: '.filter(({ host }) => host === entry.host)',
    replace: ".filter(({ host }) => host !== '')",
    test: {
      file: 'test/unit/workflows/queue-forge.test.ts',
      title: 'has each host look for its own heads, and waits for those of one that is away',
    },
  },
  {
    name: 'a base is looked at by a host that is away for ever',
    area: 'forge',
    file: 'workflows/merge-queue/queue-watch.ts',
    find: '(isDue(entry, now) ? 0 : (entry.nextAttemptAtMs ?? 0))',
    replace: '(isDue(entry, now) ? 0 : 0)',
    test: {
      file: 'test/unit/workflows/queue-forge.test.ts',
      title: 'looks at its base by another host where one is away, so that a hold ends',
    },
  },
  {
    name: 'each head of a host that is away takes its minute',
    area: 'forge',
    file: 'workflows/merge-queue/queue-attempts.ts',
    find: 'one.host === entry.host && isDue(one, now)',
    replace: 'one.id === entry.id && isDue(one, now)',
    test: {
      file: 'test/unit/workflows/queue-forge.test.ts',
      title: 'has each host look for its own heads, and waits for those of one that is away',
    },
  },
  {
    name: 'a task that was stopped while its run closed lands all the same',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'before.wanted === null ? [] : stopLanding(state)',
    replace: 'before.wanted === null ? [] : stopLanding({ ...state, result: null })',
    test: {
      file: 'test/unit/backlog/item-table.test.ts',
      title: 'lands no more where a person says %s while its run closes',
    },
  },
  {
    name: 'a task whose change is merged runs once more',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: "(at === 'parked' || at === 'queued')",
    replace: "at === 'parked'",
    test: {
      file: 'test/unit/backlog/item-table.test.ts',
      title: 'is done where its landing was not to be held up any more: %s',
    },
  },
  {
    name: 'the next try of a step is not told what people said',
    area: 'steps',
    file: 'workflows/run/work/step-work.ts',
    find: 'return this.triesOf(seq).heard;',
    replace: 'return [...this.triesOf(seq).heard];',
    test: {
      file: 'test/workflow/step-notes.test.ts',
      title: 'is told what people said to the try before it, and no other step is: %s',
    },
  },
  {
    name: 'a locked list of commands ends the guard of all runs',
    area: 'guard',
    file: 'activities/process/guard/command-list.ts',
    find: "if (codeOf(error) === 'ENOENT') throw error;",
    replace: 'if (codeOf(error) !== null) throw error;',
    test: {
      file: 'test/unit/process/command-list.test.ts',
      title: 'that was locked is taken back, and is read again a second later',
    },
  },
  {
    name: 'a git dir that is made anew forgets where it stood',
    area: 'git',
    file: 'activities/git/inspect/private-git-dir.ts',
    find: 'if (!isSha(head)) replaceFile(',
    replace: "if (head !== '-') replaceFile(",
    test: {
      file: 'test/unit/git/checkouts.test.ts',
      title:
        'stay out of it after a power cut that left the mark of the git dir empty, which is made anew where it stood',
    },
  },
  {
    name: "a git dir that is made anew shows a person's secrets",
    area: 'secrets',
    file: 'activities/git/inspect/private-git-dir.ts',
    find: 'if (protectedPaths.length > 0) await excludePaths',
    replace: 'if (protectedPaths.length > 9) await excludePaths',
    test: {
      file: 'test/unit/git/checkouts.test.ts',
      title:
        'stay out of it after a power cut that left the mark of the git dir empty, which is made anew where it stood',
    },
  },
  {
    name: 'a checkout that somebody removed is checked without its set-up',
    area: 'git',
    file: 'activities/checks/validation-checkout.ts',
    find: ' || (await this.checkout.isEmpty())',
    replace: '',
    test: { file: 'test/unit/run/validate.test.ts', title: 'sets a checkout up again that somebody removed' },
  },
  {
    name: 'a symlink that is longer than a system takes stays',
    area: 'policy',
    file: 'activities/git/inspect/diff-check.ts',
    find: 'Buffer.byteLength(target) > MAX_TARGET_BYTES',
    replace: 'Buffer.byteLength(target) > 2 * MAX_TARGET_BYTES',
    test: {
      file: 'test/unit/git/diff-check.test.ts',
      title: 'follows a symlink of two thousand parts, and finds one that is longer than a system takes',
    },
  },
  {
    name: 'a text that an agent wrote is shown as the patch of another file',
    area: 'web',
    file: 'client/look/patch-of-file.ts',
    find: '/(?<=^|\\n)(?=diff --git )/',
    replace: '/^(?=diff --git )/m',
    test: {
      file: 'test/unit/web/run-texts.test.ts',
      title: 'is no text that an agent wrote into another one, and is whole where a file became a link',
    },
  },
  {
    name: 'a file that became a link moves the patches of the others',
    area: 'web',
    file: 'client/look/patch-of-file.ts',
    find: 'if (isNewHalf(part, parts[at - 1])) return [];',
    replace: 'if (at < 0) return [];',
    test: {
      file: 'test/unit/web/run-texts.test.ts',
      title: 'is no text that an agent wrote into another one, and is whole where a file became a link',
    },
  },
  {
    name: 'a failed look closes the connection under a decision',
    area: 'web',
    file: 'client/http/server-line.ts',
    find: 'if (line.isOver && line.asks === 0)',
    replace: 'if (line.isOver)',
    test: {
      file: 'test/unit/web/server-line.test.ts',
      title: 'is closed once those are answered who asked on it before',
    },
  },
  {
    name: 'a password that begins as source code does is shown',
    area: 'secrets',
    file: 'protocol/text/redact.ts',
    find: 'if (CODE.test(value)) return false;',
    replace: 'if (/^(?:secrets|config|true|new)\\b/i.test(value)) return false;',
    test: {
      file: 'test/unit/protocol/redact.test.ts',
      title: 'takes no password that begins with a word of a language for source code: %s',
    },
  },
  {
    name: 'a watch of a task ends at the first answer that is missed',
    area: 'messages',
    file: 'client/cli/watch/await-task.ts',
    find: 'else if (absence.missed())',
    replace: "else if (absence.missed() || told === '')",
    test: { file: 'test/unit/client/await-task.test.ts', title: 'is watched on once its server answers again' },
  },
  {
    name: 'a patch for a pipe lacks what is binary',
    area: 'messages',
    file: 'client/repository.ts',
    find: "[...PATCH, '--binary', '--full-index']",
    replace: "[...PATCH, '--full-index']",
    test: {
      file: 'test/unit/client/repository.test.ts',
      title: 'is taken by git apply with what is binary, and text of any encoding',
    },
  },
  {
    name: 'a stopped task stays parked though its landing was over before',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'return closeLanded(move(ended, wanted, now), now);',
    replace: 'return move(ended, wanted, now);',
    test: {
      file: 'test/unit/backlog/item-table.test.ts',
      title: 'is done where its landing was over before it was heard that its run was, whatever a person wanted',
    },
  },
  {
    name: 'a hit that was not believed is believed once another host answered',
    area: 'backlog',
    file: 'workflows/backlog/closings.ts',
    find: 'state.admitting?.includes(key) !== true',
    replace: 'state.admitting === null',
    test: {
      file: 'test/unit/backlog/closings.test.ts',
      title: 'is asked about again, also where another host is asked for its tasks before',
    },
  },
];
