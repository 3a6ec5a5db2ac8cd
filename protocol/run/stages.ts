/**
 * The stages of a run, one row each, in their only legal order (V-06). Whatever differs between two stages is a column: predicates, the table of
 * legal moves, the walk, prompts, files of the run directory and rewinds are made of the rows. A new stage is a row here and its prompt in
 * activities/agent/prompts/stages/.
 */
import type { PromptSection } from '../text/prompt-template.js';

export interface StageRow {
  /** Null: it is no turn of an agent but the engine's own commands. */
  readonly turn: {
    /** Its change becomes a commit; a change by any other turn is rolled back. */
    readonly writes: boolean;
    /** Of its prompt, in this order. */
    readonly sections: readonly PromptSection[];
  } | null;
  /** What it says of a commit; of a tree that changed it is said again (V-21, V-112). */
  readonly decides: 'validation' | 'review' | 'verification' | null;
  readonly walk: {
    /**
     * `in_order`: after the row before it. `in_round`: only where changes are requested, never by walking the list; the rows of a round follow one
     * another, and then the tree is judged again.
     */
    readonly entered: 'in_order' | 'in_round';
    /** Where changes go that a person requests before it (V-47): to the nearest row above that the run has, or into a round, since there is code. */
    readonly changesGo: 'back' | 'to_round';
    /** The named lists that have it. */
    readonly lists: readonly ('full' | 'express' | 'plan-only')[];
  };
  /** The status once its artifact is stored and a stage follows that is any or a write turn (V-12). */
  readonly holds: { readonly status: string; readonly before: 'any' | 'write_turn' } | null;
  readonly leaves: {
    /** The file of the run directory that shows what came of it: the turn's text, unless activities/journal/projection.ts has a form for it. */
    readonly file: string;
    /** What it adds to the context of the stages below it. */
    readonly context: 'plan' | 'architecture' | 'validation' | 'review' | null;
  };
}

const ROWS = {
  planning: {
    turn: { writes: false, sections: ['task'] },
    decides: null,
    walk: { entered: 'in_order', changesGo: 'back', lists: ['full', 'plan-only'] },
    holds: { status: 'planned', before: 'any' },
    leaves: { file: 'plan.md', context: 'plan' },
  },
  architecting: {
    turn: { writes: false, sections: ['task', 'plan'] },
    decides: null,
    walk: { entered: 'in_order', changesGo: 'back', lists: ['full'] },
    holds: { status: 'architected', before: 'write_turn' },
    leaves: { file: 'architecture.md', context: 'architecture' },
  },
  executing: {
    turn: { writes: true, sections: ['task', 'plan', 'architecture'] },
    decides: null,
    walk: { entered: 'in_order', changesGo: 'back', lists: ['full', 'express'] },
    holds: null,
    leaves: { file: 'execution.log', context: null },
  },
  validating: {
    turn: null,
    decides: 'validation',
    walk: { entered: 'in_order', changesGo: 'to_round', lists: ['full', 'express'] },
    holds: null,
    leaves: { file: 'validation.json', context: 'validation' },
  },
  reviewing: {
    turn: { writes: false, sections: ['task', 'plan', 'architecture', 'change', 'validation'] },
    decides: 'review',
    walk: { entered: 'in_order', changesGo: 'to_round', lists: ['full', 'express'] },
    holds: null,
    leaves: { file: 'review.md', context: 'review' },
  },
  fixing: {
    turn: { writes: true, sections: ['task', 'plan', 'architecture', 'change', 'validation', 'review', 'findings'] },
    decides: null,
    walk: { entered: 'in_round', changesGo: 'to_round', lists: ['full'] },
    holds: null,
    leaves: { file: 'finding-responses.md', context: null },
  },
  verifying: {
    turn: { writes: false, sections: ['task', 'plan', 'change', 'validation', 'review'] },
    decides: 'verification',
    walk: { entered: 'in_order', changesGo: 'to_round', lists: ['full', 'express'] },
    holds: null,
    leaves: { file: 'verification.md', context: null },
  },
} as const satisfies Readonly<Record<string, StageRow>>;

type Rows = typeof ROWS;

export type Stage = keyof Rows;

/** Stages that are one agent turn. */
export type TurnStage = { [Name in Stage]: Rows[Name]['turn'] extends null ? never : Name }[Stage];

/** Turns that end with a decision. */
export type DecisionStage = { [Name in TurnStage]: Rows[Name]['decides'] extends null ? never : Name }[TurnStage];

export type Decision = Rows[DecisionStage]['decides'];

export type HeldStatus = NonNullable<Rows[Stage]['holds']>['status'];

export type StageListName = StageRow['walk']['lists'][number];

export const STAGE_ROWS: Readonly<
  Record<Stage, StageRow & { readonly holds: { readonly status: HeldStatus } | null }>
> = ROWS;

/** In the order of the rows. */
// `keys` forgets which ones there are.
export const STAGES = Object.keys(ROWS) as readonly Stage[];

export const TURN_STAGES: readonly TurnStage[] = STAGES.filter(isTurnStage);

/** Named stage lists. Source: V-06. */
export const STAGE_LISTS: Readonly<Record<StageListName, readonly Stage[]>> = {
  full: listNamed('full'),
  express: listNamed('express'),
  'plan-only': listNamed('plan-only'),
};

export function isTurnStage(stage: Stage): stage is TurnStage {
  return STAGE_ROWS[stage].turn !== null;
}

/** By its stage alone: a read-only run has no turn that may (V-129). */
export function mayWrite(stage: Stage): boolean {
  return STAGE_ROWS[stage].turn?.writes === true;
}

/** Says something of a commit, be it a turn or the engine. */
export function judges(stage: Stage): boolean {
  return STAGE_ROWS[stage].decides !== null;
}

export function isDecisionStage(stage: Stage): stage is DecisionStage {
  return isTurnStage(stage) && judges(stage);
}

export function decisionOf(stage: DecisionStage): Decision {
  return ROWS[stage].decides;
}

export function isDecided(what: NonNullable<StageRow['decides']>, stages: readonly Stage[]): boolean {
  return stages.some((stage) => STAGE_ROWS[stage].decides === what);
}

export function isInRound(stage: Stage): boolean {
  return STAGE_ROWS[stage].walk.entered === 'in_round';
}

/** One value for each stage with a turn. */
export function forTurnStages<Value>(make: (stage: TurnStage) => Value): Readonly<Record<TurnStage, Value>> {
  // `fromEntries` forgets which keys it was given.
  return Object.fromEntries(TURN_STAGES.map((stage) => [stage, make(stage)])) as Record<TurnStage, Value>;
}

function listNamed(name: StageListName): readonly Stage[] {
  return STAGES.filter((stage) => STAGE_ROWS[stage].walk.lists.includes(name));
}
