/** `sluice states`: the reference of V-04, printed from the module that every status change goes through. */
import { isTerminal, RUN_STATUSES, TRANSITIONS } from '../../../protocol/run/lifecycle.js';
import { STAGE_LISTS, STAGES } from '../../../protocol/run/stages.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';

/** Shape: one object `{"statuses":[{"status","terminal","moves"}],"stages":[…],"stageLists":{…}}`. */
export function statesReference() {
  return {
    statuses: RUN_STATUSES.map((status) => ({ status, terminal: isTerminal(status), moves: TRANSITIONS[status] })),
    stages: STAGES,
    stageLists: STAGE_LISTS,
  };
}

export async function states({ io, json }: Context): Promise<ExitCode> {
  const reference = statesReference();
  if (json) {
    io.json(reference);
    return EXIT.done;
  }
  for (const { status, terminal, moves } of reference.statuses) {
    io.out(`${status.padEnd(21)}${terminal ? 'terminal' : `→ ${moves.join(' ')}`}`);
  }
  return EXIT.done;
}
