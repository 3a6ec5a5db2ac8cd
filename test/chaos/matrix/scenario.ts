/**
 * The run of the kill matrix: paused from its start and resumed, a gate before the executing stage, two validation commands, a review that asks for changes,
 * one fix round whose agent commits by itself, a sink that is told, and edits that show when they are made twice. The executing agent works long enough for heartbeats.
 */
import type { RepositoryOptions } from '../../support/test-repository.js';
import { fixtureWith, PLAIN_FIXTURE } from '../../support/test-repository.js';

const FINDING = { severity: 'medium', title: 'one line more', body: 'it lacks a line', path: 'a.txt', line: 1 };

export const SCENARIO: RepositoryOptions = {
  config:
    'limits:\n  heartbeat: 2s\ngates: [executing]\nnotify: [{ command: ["true"] }]\nvalidation:\n  commands: ["grep -q changed a.txt", "test -f a.txt"]\n',
  fixture: fixtureWith({
    executing: { ...PLAIN_FIXTURE.stages.executing, delayMs: 700 },
    reviewing: [
      { text: 'One line is missing.', findings: [FINDING], decision: 'CHANGES_REQUESTED' },
      { text: 'Now it is right.', decision: 'APPROVED' },
    ],
    fixing: { append: { 'a.txt': 'mended\n' }, commit: 'mend it myself', text: 'Added it.' },
  }),
};

/** Of the turns and validations of the run, in their order. */
export const TURN_STAGES = [
  'planning',
  'architecting',
  'executing',
  'reviewing',
  'fixing',
  'reviewing again',
  'verifying',
] as const;
const VALIDATIONS = ['validating', 'validating again'] as const;

/** A function from an activity (`runTurn 12`) to the stage of the run, as the record meets them; those between two stages are one. */
export function stageNames(): (where: string) => string {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return (where) => {
    const found = known.get(where);
    if (found !== undefined) return found;
    const [type = ''] = where.split(' ');
    const n = counts.get(type) ?? 0;
    counts.set(type, n + 1);
    const name = nameOf(type, n);
    known.set(where, name);
    return name;
  };
}

function nameOf(type: string, n: number): string {
  if (type === 'runTurn') return TURN_STAGES[n] ?? `turn ${n + 1}`;
  if (type === 'validate') return VALIDATIONS[n] ?? `validation ${n + 1}`;
  if (type === 'openRun' || type === 'pickHost') return 'opening';
  if (type === 'closeRun') return 'closing';
  if (type === 'deliver') return 'telling';
  return 'waiting';
}
