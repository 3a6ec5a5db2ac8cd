/** Which stage follows which, and the status held between two of them. Pure. */
import { type RunStatus, type Stage, TRANSITIONS } from '../protocol/lifecycle.js';

/** Null: the list is done. `fixing` is entered by a decision only, never by walking the list. */
export function stageAfter(stages: readonly Stage[], stage: Stage | null): Stage | null {
  const walked: readonly Stage[] = stages.filter((candidate) => candidate !== 'fixing');
  const index = stage === null ? 0 : walked.indexOf(stage) + 1;
  return walked[index] ?? null;
}

/** `planned` and `architected` are held once their artifact is stored and another stage follows (V-12). */
export function statusBetween(stage: Stage | null, next: Stage): RunStatus | null {
  const between = stage === 'planning' ? 'planned' : stage === 'architecting' ? 'architected' : null;
  return between !== null && TRANSITIONS[between].includes(next) ? between : null;
}
