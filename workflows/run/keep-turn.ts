/** What later prompts and gates need of a finished turn. */
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { Place } from '../../protocol/run/place.js';
import { mayWrite, STAGE_ROWS, type TurnStage } from '../../protocol/run/stages.js';
import { causeOf } from '../gates/gate-book.js';
import type { RunState } from './run-state.js';

export function keepTurn(
  { facts, gates }: RunState,
  stage: TurnStage,
  { place, result }: { readonly place: Place; readonly result: RunTurnResult },
): void {
  if (mayWrite(stage)) facts.writeTurn = place;
  const { leaves, decides } = STAGE_ROWS[stage];
  if (leaves.context !== null) facts.context = { ...facts.context, [leaves.context]: result.output };
  if (decides === 'review') facts.context = { ...facts.context, findings: result.findings };
  const { request } = result;
  if (request?.kind === 'approval') {
    gates.ask(
      causeOf('agent', `the ${stage} turn asks for a person: ${request.reason}`, {
        requestedAction: request.action,
        riskLevel: request.risk,
      }),
    );
  }
}
