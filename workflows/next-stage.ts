/** Which stage follows which, the status held between two of them, and where requested changes go. Pure. */
import type { GateStage } from '../protocol/gate.js';
import { type RunStatus, type Stage, TRANSITIONS } from '../protocol/lifecycle.js';

/** `completion`: the list is done. `fixing` is entered by a decision only, never by walking the list. */
export function stageAfter(stages: readonly Stage[], stage: Stage | null): GateStage {
  if (stage === 'fixing') return firstEvidence(stages);
  const walked: readonly Stage[] = stages.filter((candidate) => candidate !== 'fixing');
  const index = stage === null ? 0 : walked.indexOf(stage) + 1;
  return walked[index] ?? 'completion';
}

/** Where evidence about a tree that changed is taken again (V-21, V-112). */
export function firstEvidence(stages: readonly Stage[]): GateStage {
  return (['validating', 'reviewing', 'verifying'] as const).find((stage) => stages.includes(stage)) ?? 'completion';
}

/** `planned` and `architected` are held once their artifact is stored and another stage follows (V-12). */
export function statusBetween(stage: Stage | null, next: GateStage): RunStatus | null {
  if (next === 'completion') return null;
  const between = stage === 'planning' ? 'planned' : stage === 'architecting' ? 'architected' : null;
  return between !== null && TRANSITIONS[between].includes(next) ? between : null;
}

/** Null: requested changes are not offered at this gate (V-47). */
export function changesGoTo(gate: GateStage, stages: readonly Stage[]): Stage | null {
  const fixing = stages.includes('fixing') ? 'fixing' : null;
  switch (gate) {
    case 'planning':
      return null;
    case 'architecting':
      return stages.includes('planning') ? 'planning' : null;
    case 'executing':
      return (['architecting', 'planning'] as const).find((stage) => stages.includes(stage)) ?? null;
    case 'validating':
    case 'reviewing':
    case 'fixing':
    case 'verifying':
    case 'completion':
      return fixing;
  }
}
