/** Walls: guarded paths, and what a project config can do that nobody trusted. */
import type { Mutant } from '../../mutant.js';

const UNTRUSTED = 'test/unit/config/untrusted-config.test.ts';

export const GUARDED_PATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'an untrusted list replaces the default',
    area: 'walls',
    file: 'config/layer-merge.ts',
    find: "const replacing = written.filter(({ kind }) => kind !== 'untrusted');",
    replace: 'const replacing = written;',
    test: { file: UNTRUSTED, title: 'guards by default what it does not name, and replaces that once it is trusted' },
  },
  {
    name: 'an untrusted limit counts like one of a trusted file',
    area: 'walls',
    file: 'config/layer-merge.ts',
    find: "const start: Sourced<KeyValue<K>> | Base = least(['project', 'user'])",
    replace: "const start: Sourced<KeyValue<K>> | Base = least(['project', 'user', 'untrusted'])",
    test: { file: UNTRUSTED, title: 'makes %s stricter and never looser' },
  },
  {
    name: 'an untrusted list of stages drops those that look at a change',
    area: 'walls',
    file: 'config/layer-merge.ts',
    find: "if (layer.kind !== 'untrusted' || !allowsMore(",
    replace: "if (layer.kind === 'untrusted' || !allowsMore(",
    test: { file: UNTRUSTED, title: 'drops no stage that looks at a change: %s' },
  },
  {
    name: 'a config that starts nothing counts as trusted',
    area: 'walls',
    file: 'config/select-config.ts',
    find: 'hash, origin, isTrusted, workingDiffers',
    replace: 'hash, origin, isTrusted: true, workingDiffers',
    test: { file: 'test/unit/config/select-config.test.ts', title: 'chooses %s' },
  },
  {
    name: 'files that editors run are not guarded',
    area: 'walls',
    file: 'config/guarded-paths.ts',
    find: "...folders('.vscode', '.idea',",
    replace: "...folders('.idea',",
    test: { file: 'test/unit/config/guarded-paths.test.ts', title: 'hold %s' },
  },
];
