/** Walls: what a process inherits. */
import type { Mutant } from '../../mutant.js';

const FOREIGN = 'test/unit/security/foreign-descriptors.test.ts';

const INHERITANCE = 'test/security/inheritance.test.ts';

export const INHERITANCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the outer program of a sandbox hands bubblewrap what it got',
    area: 'walls',
    file: 'activities/sandbox/main.ts',
    find: 'closeForeignDescriptors();',
    replace: '',
    test: { file: FOREIGN, title: 'shows none of them inside' },
  },
  {
    name: 'foreign descriptors are closed by the command line alone',
    area: 'walls',
    file: 'activities/process/guard/main.ts',
    find: 'closeForeignDescriptors();',
    replace: '',
    test: { file: FOREIGN, title: 'closes them: %s' },
  },
  {
    name: 'only descriptors as high as a shell hands out by itself are closed',
    area: 'walls',
    file: 'config/system/foreign-descriptors.ts',
    find: 'Number(name) > LAST_OF_STDIO',
    replace: 'Number(name) > 62',
    test: { file: FOREIGN, title: 'closes them: %s' },
  },
  {
    name: 'the command line closes what <(command) gave it',
    area: 'walls',
    file: 'client/cli/main.ts',
    find: 'closeForeignDescriptors(process.argv);',
    replace: 'closeForeignDescriptors();',
    test: {
      file: FOREIGN,
      title: 'keeps the one that an argument of the command line names, as a shell writes it for <(command)',
    },
  },
  {
    name: 'the server holds the whole environment of a person',
    area: 'walls',
    file: 'worker/local-engine/children/server-child.ts',
    find: "stdio: ['ignore', log, log], env: serverEnvironment(process.env)",
    replace: "stdio: ['ignore', log, log], env: process.env",
    test: {
      file: INHERITANCE,
      title: 'of guard and git runner is empty, that of the server has nothing but what a program of the system needs',
    },
  },
  {
    name: 'the worker takes the umask of the engine for that of the person',
    area: 'walls',
    file: 'worker/local-engine/run-engine.ts',
    find: 'process.env[UMASK_VARIABLE] = process.umask(0o077).toString(8);',
    replace: 'process.umask(0o077);',
    test: {
      file: INHERITANCE,
      title:
        'the %s has the umask of that shell, no terminal, no ignored or blocked signal and no word of that environment',
    },
  },
  {
    name: 'a notification program has the umask of the worker',
    area: 'walls',
    file: 'activities/notify/run-sink-program.ts',
    find: 'umask "\\${${UMASK_VARIABLE}:-077}"; ',
    replace: '',
    test: {
      file: INHERITANCE,
      title:
        'the %s has the umask of that shell, no terminal, no ignored or blocked signal and no word of that environment',
    },
  },
];
