/** Of what a person meets on the first day: the work as it is shown, room on the disk, ids that speak, an address that stays. */
import type { Mutant } from '../mutant.js';

const GIVE_BACK = 'test/unit/run/give-back-room.test.ts';

export const FIRST_DAY_MUTANTS: readonly Mutant[] = [
  {
    name: 'the live view tells the secrets of an agent',
    area: 'messages',
    file: 'activities/unit/tell-work.ts',
    find: 'printable(redactor.text(text))',
    replace: 'printable(text)',
    test: {
      file: 'test/unit/run/tell-work.test.ts',
      title: 'no secret is told, none that steers a terminal, and no line of a key whose beginning is not here',
    },
  },
  {
    name: 'a worktree with unsaved work goes by itself',
    area: 'messages',
    file: 'activities/closing/give-back-room.ts',
    find: '(await git.changes()).length > 0',
    replace: '(await git.changes()).length > 1_000',
    test: { file: GIVE_BACK, title: 'stays where %s' },
  },
  {
    name: 'a worktree goes by itself under an open landing',
    area: 'messages',
    file: 'activities/closing/give-back-room.ts',
    find: 'if (await deps.isOpen(landing, null)) return false;',
    replace: 'void landing;',
    test: { file: GIVE_BACK, title: 'stays while its landing is open, and where the config says never' },
  },
  {
    name: 'what a person made in the worktree goes with what the set-up made',
    area: 'messages',
    file: 'activities/checks/setup-files.ts',
    find: "const paths = listed.filter((path): path is string => typeof path === 'string' && ignored.has(path));",
    replace: 'const paths = [...ignored];',
    test: {
      file: GIVE_BACK,
      title: 'gives back its validation checkout and what its set-up made, and keeps what it and others made',
    },
  },
  {
    name: 'a part of a branch in its base counts as all of it',
    area: 'messages',
    file: 'config/system/squash-merge.ts',
    find: "compared?.startsWith('- ') === true",
    replace: 'compared !== null',
    test: { file: GIVE_BACK, title: 'is not, where the base has only some of it' },
  },
  {
    name: 'a secret in a task names a branch',
    area: 'messages',
    file: 'protocol/run/run-id.ts',
    find: 'redact(task)',
    replace: 'task.replace(/\\bnothing\\b/, String)',
    test: { file: 'test/unit/protocol/any-input.test.ts', title: 'says what it is about: %j' },
  },
  {
    name: 'an engine takes the address of other ports',
    area: 'messages',
    file: 'worker/local-engine/state/engine-address.ts',
    find: "of['server'] !== wanted.server",
    replace: "of['server'] === 0",
    test: {
      file: 'test/unit/engine/engine-address.test.ts',
      title: 'is kept for the next one, while the same ports are asked for',
    },
  },
  {
    name: 'a filter of the repository runs before a start',
    area: 'messages',
    file: 'client/uncommitted-files.ts',
    find: "'^(core\\\\.(filemode|autocrlf|eol|ignorecase|symlinks|precomposeunicode|excludesfile)|extensions\\\\.objectformat)$'",
    replace: "'.'",
    test: {
      file: 'test/unit/client/uncommitted-files.test.ts',
      title: 'are found without a filter, monitor or hook that somebody put into the repository',
    },
  },
];
