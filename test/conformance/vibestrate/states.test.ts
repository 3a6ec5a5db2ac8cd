import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  checkTransition,
  createLifecycle,
  isRunStatus,
  isTerminal,
  type Lifecycle,
  RUN_STATUSES,
  type RunStatus,
  StateTransitionError,
  TRANSITIONS,
} from '../../../protocol/run/lifecycle.js';
import { STAGE_LISTS, STAGES, type Stage } from '../../../protocol/run/stages.js';
import { RunState } from '../../../workflows/run/run-state.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLI = join(ROOT, 'dist/programs/cli.js');

/** The table of docs/requirements/vibestrate.md "Transition table", written out again: the module must agree with it, not with itself. */
const TABLE: Readonly<Record<string, string>> = {
  created:
    'planning architecting executing validating reviewing fixing verifying waiting_for_approval paused failed aborted blocked',
  planning:
    'planned architecting executing validating reviewing verifying waiting_for_approval paused merge_ready failed aborted blocked',
  planned: 'architecting executing validating reviewing verifying waiting_for_approval paused failed aborted blocked',
  architecting:
    'architected executing validating reviewing verifying waiting_for_approval paused merge_ready failed aborted blocked',
  architected: 'executing waiting_for_approval paused failed aborted blocked',
  executing: 'validating reviewing verifying waiting_for_approval paused merge_ready failed aborted blocked',
  validating: 'reviewing verifying waiting_for_approval paused merge_ready failed aborted blocked',
  reviewing: 'executing validating verifying fixing waiting_for_approval paused merge_ready blocked failed aborted',
  fixing: 'validating reviewing verifying waiting_for_approval paused merge_ready blocked failed aborted',
  verifying: 'merge_ready waiting_for_approval paused blocked failed aborted',
  waiting_for_approval:
    'created planning planned architecting architected executing validating reviewing fixing verifying blocked failed aborted',
  paused:
    'created planning planned architecting architected executing validating reviewing fixing verifying aborted failed',
  merge_ready: '',
  blocked: '',
  failed: '',
  aborted: '',
};

const STATUSES = Object.keys(TABLE) as RunStatus[];
const legalFrom = (from: string): string[] => (TABLE[from] ?? '').split(' ').filter((to) => to !== '');

describe('the statuses of a run', () => {
  it('V-01: are exactly sixteen, and any other value is refused', () => {
    expect([...RUN_STATUSES].sort()).toEqual([...STATUSES].sort());
    expect(STATUSES.filter((status) => !isRunStatus(status))).toEqual([]);
    expect(
      ['done', 'Planning', 'merge-ready', '', ' created', null, undefined, 3, ['created']].filter(isRunStatus),
    ).toEqual([]);
  });

  it('V-02: are assigned in one pure module, and whoever announces a change imports it', () => {
    const module = sourceOf('protocol/run/lifecycle.ts');
    const others = sources().filter(({ path }) => path !== 'protocol/run/lifecycle.ts' && path !== ROWS);
    // The client has no way to the journal; it only shows.
    const announcing = others.filter(
      ({ path, text }) => !path.startsWith('client/') && /(?:type: |note\()'state\.changed'/.test(text),
    );

    expect([...module.matchAll(LOADED)].map(([, path]) => path)).toEqual(['./stages.js']);
    expect(sourceOf(ROWS)).not.toMatch(LOADED);
    expect(others.filter(({ text }) => /createLifecycle\(/.test(text)).map(({ path }) => path)).toEqual([
      'workflows/run/run-state.ts',
    ]);
    const assigning = others.filter(({ path, text }) => ASSIGNMENT.test(text) && !OF_STEPS.includes(path));
    expect(assigning.map(({ path }) => path)).toEqual([ENDED_FROM_OUTSIDE]);
    expect(announcing.map(({ path }) => path).sort()).toEqual([ENDED_FROM_OUTSIDE, 'workflows/run/run-state.ts']);
    expect(sourceOf('workflows/run/run-state.ts')).toMatch(/lifecycle\.move\(to\)/);
    expect(sourceOf(ENDED_FROM_OUTSIDE)).toMatch(/checkTransition\(from, 'aborted'/);
  });

  it('V-03: change by the table and no other way, for all 256 pairs', () => {
    const wrong = STATUSES.flatMap((from) =>
      STATUSES.flatMap((to) => {
        const lifecycle = lifecycleIn(from);
        const legal = legalFrom(from).includes(to);
        const refusal = refusalOf(() => lifecycle.move(to));
        const ok = legal
          ? refusal === null && lifecycle.status === to
          : refusal instanceof StateTransitionError && lifecycle.status === from;
        return ok ? [] : [`${from} → ${to}`];
      }),
    );

    expect(wrong).toEqual([]);
  });

  it('V-03: leave status and journal of the run alone where they are refused', () => {
    const wrong = STATUSES.flatMap((from) =>
      STATUSES.filter((to) => !legalFrom(from).includes(to)).flatMap((to) => {
        const run = new RunState('a-run', { task: 'a task', repo: '/repository' }, true);
        for (const step of pathTo(from)) run.move(step);
        const events = run.journal.all.length;
        const refusal = refusalOf(() => run.move(to));
        return refusal instanceof StateTransitionError && run.status === from && run.journal.all.length === events
          ? []
          : [`${from} → ${to}`];
      }),
    );

    expect(wrong).toEqual([]);
  });

  it('V-04: are printed with their moves by `sluice states --json`, from the same module', () => {
    const printed: unknown = JSON.parse(
      execFileSync(process.execPath, [CLI, 'states', '--json'], { encoding: 'utf8' }),
    );

    expect(printed).toMatchObject({
      statuses: RUN_STATUSES.map((status) => ({
        status,
        terminal: isTerminal(status),
        moves: [...TRANSITIONS[status]],
      })),
      stages: [...STAGES],
    });
    expect(printed).toMatchObject({ statuses: RUN_STATUSES.map((status) => ({ status, moves: legalFrom(status) })) });
  });

  it('V-05: reach merge_ready only from verifying, or from the last stage of a shorter list', () => {
    const early = ['planning', 'architecting', 'executing', 'validating', 'reviewing', 'fixing'] as const;

    expect(early.filter((from) => !isRefused(from, STAGE_LISTS.full))).toEqual([]);
    expect(isRefused('verifying', STAGE_LISTS.full)).toBe(false);
    expect(isRefused('planning', STAGE_LISTS['plan-only'])).toBe(false);
    expect(isRefused('executing', STAGE_LISTS.express)).toBe(true);
    expect(isRefused('planned', STAGE_LISTS['plan-only'])).toBe(true);
  });
});

/** Its events and view say what the server made of an execution that was terminated: there the workflow can move nothing any more. */
const ENDED_FROM_OUTSIDE = 'activities/closing/terminated-end.ts';

/** The rows of the stages name the statuses that they hold, and load nothing. */
const ROWS = 'protocol/run/stages.ts';

const LOADED = /^import (?!type )[^;]* from '([^']+)'/gm;

const ASSIGNMENT = new RegExp(`\\bstatus\\s*[:=]\\s*'(?:${STATUSES.join('|')})'`);

/** A step of a plan has a status of its own, two of whose words are a run's too. */
const OF_STEPS = ['protocol/admission/next-step.ts', 'workflows/run/work/take-step.ts'];

const SOURCE_FOLDERS = ['protocol', 'config', 'wire', 'activities', 'workflows', 'worker', 'client'];

function sources(): { path: string; text: string }[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({ path: `${folder}/${name}`, text: sourceOf(`${folder}/${name}`) })),
  );
}

function sourceOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function isRefused(from: RunStatus, stages: readonly Stage[]): boolean {
  return refusalOf(() => checkTransition(from, 'merge_ready', stages)) instanceof StateTransitionError;
}

function refusalOf(attempt: () => void): unknown {
  try {
    attempt();
    return null;
  } catch (error) {
    return error;
  }
}

/** A list that ends where the pair needs it: the last-stage rule is V-05's own. */
function lifecycleIn(status: RunStatus): Lifecycle {
  const last = STAGES.find((stage) => stage === status);
  const lifecycle = createLifecycle(last === undefined ? STAGES : [...STAGES.filter((stage) => stage !== last), last]);
  for (const step of pathTo(status)) lifecycle.move(step);
  return lifecycle;
}

/** Legal moves from `created` to a status, one or two. */
function pathTo(status: RunStatus): RunStatus[] {
  if (status === 'created') return [];
  if (status === 'merge_ready') return ['verifying', 'merge_ready'];
  if (legalFrom('created').includes(status)) return [status];
  const between = STATUSES.find((step) => legalFrom('created').includes(step) && legalFrom(step).includes(status));
  return between === undefined ? [] : [between, status];
}
