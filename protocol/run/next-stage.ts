/** Which stage follows which in a list of stages, and where requested changes go. Pure. */
import type { Boundary } from './gate.js';
import { isDecided, isInRound, judges, STAGE_ROWS, STAGES, type Stage } from './stages.js';

/** `completion`: the list is done. */
export function stageAfter(stages: readonly Stage[], stage: Stage | null): Boundary {
  const inRound = stage !== null && isInRound(stage);
  const walked = stages.filter((candidate) => isInRound(candidate) === inRound);
  const index = stage === null ? 0 : walked.indexOf(stage) + 1;
  return walked[index] ?? (inRound ? firstEvidence(stages) : 'completion');
}

/** Where evidence about a tree that changed is taken again (V-21, V-112). */
export function firstEvidence(stages: readonly Stage[]): Boundary {
  return stages.find(judges) ?? 'completion';
}

/** Where a round begins. Null: the list has none. */
export function roundStart(stages: readonly Stage[]): Stage | null {
  return stages.find(isInRound) ?? null;
}

/** Whether red checks may go to a round: a review asks for it, be it the engine's own (V-26). */
export function canFix({ stages, rounds }: { readonly stages: readonly Stage[]; readonly rounds: number }): boolean {
  return rounds > 0 && isDecided('review', stages) && roundStart(stages) !== null;
}

/** Null: requested changes are not offered at this gate (V-47). */
export function changesGoTo(gate: Boundary, stages: readonly Stage[]): Stage | null {
  if (gate === 'completion' || STAGE_ROWS[gate].walk.changesGo === 'to_round') return roundStart(stages);
  return STAGES.slice(0, STAGES.indexOf(gate)).findLast((stage) => stages.includes(stage)) ?? null;
}
