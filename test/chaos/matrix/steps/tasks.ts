/**
 * The tasks of the scenario `steps` and what the scripted agent answers about them. The first is asked a question; its planner changes the tree that it looks at, and is asked once more; its plan has
 * three steps, of which the second fails once and the last is a test. The second and the third are near the first: an agent takes the one for another task, and the other for the same.
 */
import type { Fixture, ScriptedTurn } from '../../../../activities/agent/scripted/fixture.js';
import type { StepVerb } from '../../../../protocol/admission/plan-steps.js';
import { JUDGED, say } from '../../../support/admitted-project.js';

export const TASKS = [
  'Export the monthly report as a CSV file with one row per customer',
  'Let people download a spreadsheet of what each client did, month by month',
  'Give every client a table of their months that a spreadsheet can open',
] as const;

export const IDS = ['1', '2', '3'] as const;

export const QUESTION = 'tabs or spaces?';
export const ANSWER = 'tabs, as everywhere';

/** In the plan of whoever changed the tree: no commit may bear it. */
export const SPOILT = 'planned on a changed tree';

/** Of the tasks that are landed, in the order of their commits: `<task> <step> <attempt>`. */
export const STEPS = ['1 1 1', '1 2 2', '1 3 1', '2 1 1'] as const;

/** What a failed try leaves in its tree. */
const HALF = 'half.txt';

/** Files with what each holds at the end, empty where there is none: every step adds one line to a file of its own, and the tree is put back before a retry. */
export const FILES = { '1.txt': '1\n', '2.txt': '2\n', '3.txt': '3\n', '4.txt': '4\n', [HALF]: '' } as const;

/**
 * Agents that are started, of each kind. Two tasks are compared by an agent; the first is judged twice and planned three times, the second once each; five turns make four steps.
 */
export const STARTS = { dedup: 2, classify: 3, plan: 4, executing: 5 } as const;

/** The heartbeats are those of a turn that is noticed to be lost soon. */
export const CONFIG = `limits: { heartbeat: 2s }
stageList: [planning, executing, validating]
validation:
  commands: ["grep -q changed a.txt"]
backlog: { maxConcurrent: 1 }
admission: { order: [dedup, [classify, plan]] }
dedup: { ask: true }
execute: { until: steps, stepCheck: none }
landing: { mode: auto, needs: checked }
`;

/** Absolute. */
export interface Traced {
  /** Is there once the first planner is at work. */
  readonly planning: string;
  /** What git said to each planner of the tree that it was given, where that was not as its commit. */
  readonly trees: string;
}

/** An ask is told by its pass, and which one it is of that pass by how often the like was started before. */
export function fixtureOf({ planning, trees }: Traced): Fixture {
  const look = `git status --porcelain >> '${trees}'`;
  return {
    ledger: 'ledger.txt',
    stages: {},
    asks: {
      dedup: { ...isTask(null), again: isTask(1) },
      classify: [
        // Its planner is at work by then, and is ended.
        { waitFor: planning, ...say(asking), again: say(JUDGED) },
        say(JUDGED),
      ],
      plan: [
        { run: `${look}; touch '${planning}'`, hang: true, again: { run: look, ...planOf(['modify'], 'make part 4') } },
        {
          run: `${look}; echo spoilt >> a.txt`,
          ...planOf(['add'], SPOILT),
          again: { run: look, ...planOf(['add', 'modify', 'test'], 'make a part') },
        },
      ],
    },
    steps: [
      makes(1, makes(4)),
      { run: `echo half > ${HALF}`, text: 'Half of it.', exit: 3, again: makes(2) },
      makes(3),
    ],
  };
}

const asking = { ...JUDGED, needs_clarification: true, clarifying_questions: [QUESTION] };

function isTask(of: number | null): ScriptedTurn {
  return say({ duplicate: of !== null, duplicate_of: of, reason: 'as both are about a table' });
}

function planOf(verbs: readonly StepVerb[], description: string): ScriptedTurn {
  const steps = verbs.map((verb) => ({ verb, acceptance: 'its file is there', depends_on: [], description }));
  return say({ plan: steps, files_affected: [], symbols_affected: [] });
}

/** An edit that shows when it is made twice, and the line that the checks ask for. */
function makes(n: number, again?: ScriptedTurn): ScriptedTurn {
  const turn = { run: `echo changed > a.txt; echo ${n} >> ${n}.txt`, text: `Part ${n} is made.` };
  return again === undefined ? turn : { ...turn, again };
}
