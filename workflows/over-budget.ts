/** A budget that is used up ends its owner, or a person allows the whole of it once more. Source: V-130. */
import type { EventDataByType } from '../protocol/event-data.js';
import type { TurnStage } from '../protocol/run/stages.js';
import { reachedLimit } from './budget.js';
import { askPerson, type Stopped } from './gate.js';
import { causeOf } from './gate-book.js';
import type { TurnOwner } from './turn-owner.js';

/** Before an attempt. Null: it may start. */
export async function stopOverBudget(owner: TurnOwner, stage: TurnStage): Promise<Stopped | null> {
  for (;;) {
    const reached = reachedLimit(owner.policy.budget, owner.used);
    if (reached === null) return null;
    const why = `the run used ${reached.used} of ${reached.allowed} ${reached.limit}`;
    const stopped = await askForMore(owner, stage, { why, data: reached, action: 'allow the whole budget once more' });
    if (stopped !== null) return stopped;
    // As often as it takes: one turn may have used the whole budget several times.
    do owner.used = { ...owner.used, grants: owner.used.grants + 1 };
    while (reachedLimit(owner.policy.budget, owner.used) !== null);
  }
}

interface More {
  readonly why: string;
  readonly data: EventDataByType['budget.limit'];
  readonly action: string;
}

/** Null: a person allows it. */
export async function askForMore(owner: TurnOwner, stage: TurnStage, { why, data, action }: More): Promise<Stopped | null> {
  owner.journal.note('budget.limit', why, data);
  owner.notifier.tell('budget_reached', why);
  if (owner.policy.budget.onLimit === 'stop') return { kind: 'stopped', reason: 'budget', error: why };
  const passage = await askPerson(owner, { stage, cause: causeOf('budget', why, { requestedAction: action }) });
  if (passage.kind === 'stopped') return passage;
  owner.goOn();
  return null;
}
