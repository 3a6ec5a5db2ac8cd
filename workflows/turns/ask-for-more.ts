/** A budget is used up: a person at a gate allows the whole of it once more, or nothing goes on. Source: V-130. */
import type { TurnStage } from '../../protocol/run/stages.js';
import { askPerson, type GateOwner, type Stopped } from '../gates/gate.js';
import { causeOf } from '../gates/gate-book.js';

export interface MoreBudget {
  readonly why: string;
  /** What a person would allow. */
  readonly action: string;
}

/** Null: they allow it. */
export async function askPersonForMore(
  owner: GateOwner,
  stage: TurnStage,
  { why, action }: MoreBudget,
): Promise<Stopped | null> {
  const passage = await askPerson(owner, { stage, cause: causeOf('budget', why, { requestedAction: action }) });
  if (passage.kind === 'stopped') return passage;
  owner.goOn();
  return null;
}
