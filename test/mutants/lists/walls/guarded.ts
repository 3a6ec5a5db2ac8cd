/** Walls: guarded paths, and what a project config can do that nobody trusted. */
import type { Mutant } from '../../mutant.js';

const HOSTILE_CLI = 'test/unit/agent/hostile-cli.test.ts';

const UNTRUSTED = 'test/unit/config/untrusted-config.test.ts';

export const GUARDED_PATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'an untrusted list replaces the default',
    area: 'walls',
    file: 'config/layers/layer-merge.ts',
    find: "const replacing = written.filter(({ kind }) => kind !== 'untrusted');",
    replace: 'const replacing = written;',
    test: { file: UNTRUSTED, title: 'guards by default what it does not name, and replaces that once it is trusted' },
  },
  {
    name: 'an untrusted limit counts like one of a trusted file',
    area: 'walls',
    file: 'config/layers/layer-merge.ts',
    find: "const start: Sourced<KeyValue<K> | Base> = least(['project', 'user'])",
    replace: "const start: Sourced<KeyValue<K> | Base> = least(['project', 'user', 'untrusted'])",
    test: { file: UNTRUSTED, title: 'makes %s stricter and never looser' },
  },
  {
    name: 'an untrusted list of stages drops those that look at a change',
    area: 'walls',
    file: 'config/layers/layer-merge.ts',
    find: "if (layer.kind !== 'untrusted' || !allowsMore(",
    replace: "if (layer.kind === 'untrusted' || !allowsMore(",
    test: { file: UNTRUSTED, title: 'drops no stage that looks at a change: %s' },
  },
  {
    name: 'a config that starts nothing counts as trusted',
    area: 'walls',
    file: 'config/resolve/select-config.ts',
    find: '    isTrusted,',
    replace: '    isTrusted: true,',
    test: { file: 'test/unit/config/select-config.test.ts', title: 'chooses %s' },
  },
  {
    name: 'files that editors run are not guarded',
    area: 'walls',
    file: 'config/keys/guarded-paths.ts',
    find: "...folders('.vscode', '.idea',",
    replace: "...folders('.idea',",
    test: { file: 'test/unit/config/guarded-paths.test.ts', title: 'hold %s' },
  },
  {
    name: 'a forged figure takes back what was told',
    area: 'walls',
    file: 'activities/agent/outcome/usage-delta.ts',
    find: 'one[figure] === null ? other[figure] : Math.max(one[figure], other[figure] ?? 0)',
    replace: 'other[figure]',
    test: { file: HOSTILE_CLI, title: 'tells %s after a figure that counts, and gives nothing of that back' },
  },
  {
    name: 'a forged figure makes a sum that is no exact integer',
    area: 'walls',
    file: 'activities/agent/outcome/usage-delta.ts',
    find: 'Math.min(sum + part, Number.MAX_SAFE_INTEGER)',
    replace: 'sum + part',
    test: {
      file: HOSTILE_CLI,
      title:
        'tells %s for every figure, often, and in a conversation that goes on: what counts is whole and not below zero',
    },
  },
  {
    name: 'a forged second name of a conversation counts',
    area: 'walls',
    file: 'activities/agent/events/event-fields.ts',
    find: 'return second === undefined ? (first ?? null) : null;',
    replace: 'return second ?? first ?? null;',
    test: { file: HOSTILE_CLI, title: 'names two conversations: none of them is gone on with' },
  },
  {
    name: 'a forged line of a million values is read',
    area: 'walls',
    file: 'activities/agent/events/read-json-lines.ts',
    find: 'if (text.length > MAX_VALUES && hasTooMany(text)) return null;',
    replace: '',
    test: {
      file: HOSTILE_CLI,
      title: 'is none above 200 000 values, which cost a hundred times their bytes once they are read',
    },
  },
  {
    name: 'a forged update of another session is heard',
    area: 'walls',
    file: 'activities/agent/adapters/acp/client-turn.ts',
    find: "textAt(message, 'params', 'sessionId') !== this.session",
    replace: "textAt(message, 'params', 'sessionId') === null",
    test: {
      file: 'test/unit/agent/hostile-acp.test.ts',
      title: 'that speaks for another session is not heard, and gets no permission there',
    },
  },
];
