/** Walls: ends of resources. */
import type { Mutant } from '../../mutant.js';

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
    file: 'worker/local-engine/ensure-engine.ts',
    find: '  requireDescriptors();',
    replace: '',
    test: { file: SPENT, title: 'for the engine are refused before anything of it starts' },
  },
  {
    name: 'a disk without inodes counts as one without room',
    area: 'walls',
    file: 'config/system-trouble.ts',
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
      title: 'limit processes where the kernel (%s) counts those of a namespace by itself, so that no other one of the person counts',
    },
  },
];
