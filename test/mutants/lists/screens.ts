/** What screens say: marks of stages, what a gate shows, rows of a list. */
import type { Mutant } from '../mutant.js';

export const SCREEN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a stage whose checks are red has passed',
    area: 'messages',
    file: 'protocol/views/stage-story.ts',
    find: "return isRed(data) ? fail(story, 'validating', 'red_checks') : story;",
    replace: 'return story;',
    test: { file: 'test/unit/protocol/stage-story.test.ts', title: 'whose checks are %s' },
  },
  {
    name: 'the time at a gate counts as work',
    area: 'messages',
    file: 'protocol/views/stage-story.ts',
    find: 'waits ? { waitMs: waitMs + ms } : { workMs: workMs + ms }',
    replace: '{ workMs: workMs + ms }',
    test: {
      file: 'test/unit/protocol/stage-story.test.ts',
      title: 'works, and waits at gates, limits, pauses and before another try',
    },
  },
  {
    name: 'what was said of another commit passes for the one at the gate',
    area: 'messages',
    file: 'client/cli/gates/fact-rows.ts',
    find: 'told === null || commit === null || told === commit ? [] :',
    replace: 'told === null || commit === null || told.length > 0 ? [] :',
    test: {
      file: 'test/unit/client/gate-facts.test.ts',
      title: 'is what changed, the checks, the review with its findings, and the cost, once something is',
    },
  },
  {
    name: 'a row of the list wraps',
    area: 'messages',
    file: 'client/cli/terminal/table.ts',
    find: 'const room = width - 1;',
    replace: 'const room = width + 20;',
    test: {
      file: 'test/unit/client/listed-run.test.ts',
      title: 'never wraps a row at %d columns, whatever the titles are',
    },
  },
];
