/** Walls: ends of resources. */
import type { Mutant } from '../../mutant.js';

const HOMES = 'test/security/two-homes.test.ts';
const TAKEN =
  'is refused %s; branch, refs, worktree and files of the first stay as they are, also when the second home cleans that id';
const SPENT = 'test/unit/client/spent-machine.test.ts';

export const RESOURCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an entry loads the program before it can say what is missing',
    area: 'walls',
    file: 'client/cli/main.ts',
    find: "sayLastWords({ now: 'What was started before goes on; see: sluice list' });",
    replace: '',
    test: { file: SPENT, title: 'for loading the program (%i) are named, with what mends it, by every command' },
  },
  {
    name: 'the engine starts with fewer descriptors than it needs',
    area: 'walls',
    file: 'worker/local-engine/control/ensure-engine.ts',
    find: '  requireDescriptors();',
    replace: '',
    test: { file: SPENT, title: 'for the engine are refused before anything of it starts' },
  },
  {
    name: 'a disk without inodes counts as one without room',
    area: 'walls',
    file: 'config/system/system-trouble.ts',
    find: 'if (free !== null && free.names === 0 && free.bytes > 0) {',
    replace: 'if (free !== null && free.names < 0) {',
    test: { file: SPENT, title: '%s is named, with what mends it, by the commands that write there' },
  },
  {
    name: 'a sandbox has as many processes as the machine gives',
    area: 'walls',
    file: 'activities/sandbox/bwrap-arguments.ts',
    find: "...(countsByNamespace(files.kernel) ? ['/bin/sh', '-c', LIMITED, 'sh'] : []),",
    replace: '',
    test: {
      file: 'test/unit/sandbox/mounts.test.ts',
      title:
        'limit processes where the kernel (%s) counts those of a namespace by itself, so that no other one of the person counts',
    },
  },
  {
    name: 'the server of a user without a passwd entry has no name for them',
    area: 'walls',
    file: 'worker/local-engine/children/server-command.ts',
    find: "return { USER: `uid-${process.getuid?.() ?? 'unknown'}`, ...Object.fromEntries(given) };",
    replace: 'return Object.fromEntries(given);',
    test: {
      file: 'test/unit/engine/server-command.test.ts',
      title: 'names a user to the server, and gives it no other variable of a person than those of the system',
    },
  },
  {
    name: 'of a server that died only the end of its dump is shown',
    area: 'walls',
    file: 'worker/local-engine/children/log-file.ts',
    find: '...whyItDied(lines).filter((line) => !tail.includes(line)), ',
    replace: '',
    test: {
      file: 'test/unit/engine/log-file.test.ts',
      title: 'says above them why the program died, where a dump stands between: %s',
    },
  },
  {
    name: 'a run takes the run directory of another home for its own',
    area: 'walls',
    file: 'activities/opening/open-run.ts',
    find: 'if (known === null && existsSync(record.runDir)) throw runExists(runId, record.runDir);',
    replace: '',
    test: { file: HOMES, title: TAKEN },
  },
  {
    name: 'a run takes the refs that another home kept under its id',
    area: 'walls',
    file: 'activities/git/worktree/add-worktree.ts',
    find: 'if (ref !== undefined) throw',
    replace: 'if (ref !== undefined && ref.sha === path) throw',
    test: { file: 'test/unit/git/add-worktree.test.ts', title: 'refuses %s of the run name and changes nothing' },
  },
  {
    name: 'the branch that git made for a run stays though another home works on one of its name',
    area: 'walls',
    file: 'activities/git/worktree/add-worktree.ts',
    find: 'if (found.branchAt === null) await takeBack(input);',
    replace: '',
    test: { file: 'test/unit/git/add-worktree.test.ts', title: 'refuses %s of the run name and changes nothing' },
  },
  {
    name: 'a pull request names no guarded path where they cannot be told in time',
    area: 'walls',
    file: 'activities/git/inspect/diff-check.ts',
    find: 'return new TimeBudget().run(() => matching(files, globs)) ?? files.map(({ path }) => path);',
    replace: 'return new TimeBudget().run(() => matching(files, globs)) ?? [];',
    test: {
      file: 'test/unit/security/bombs.test.ts',
      title: 'as a guarded path is told of every path at a pull request',
    },
  },
  {
    name: 'each value of a key of a config copies all before it',
    area: 'walls',
    file: 'activities/git/inspect/repository-watch.ts',
    find: 'else known.push(value);',
    replace: 'else values.set(name, [...known, value]);',
    test: { file: 'test/unit/git/surroundings.test.ts', title: 'costs in proportion to the values of one key' },
  },
  {
    name: 'what is ignored is cut at each depth of its deepest path',
    area: 'walls',
    file: 'activities/git/run/validation-checkout.ts',
    find: 'const depth = Math.floor((fits + tooDeep) / 2);',
    replace: 'const depth = tooDeep - 1;',
    test: {
      file: 'test/unit/git/purge.test.ts',
      title: 'is listed at a cost that follows the number of files, however deep one of them lies',
    },
  },
  {
    name: 'a folder whose mark cannot be opened is nobody’s',
    area: 'walls',
    file: 'activities/git/worktree/owner-mark.ts',
    find: "  return 'broken';",
    replace: '  return null;',
    test: {
      file: 'test/unit/git/owner-mark.test.ts',
      title: 'with %s is broken: nobody begins it or takes it over',
    },
  },
];
