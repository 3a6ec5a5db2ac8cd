/** The outcome of a turn whose process did not exit by itself, and the sentence that says why a turn failed. The same for every adapter. */
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import { cut } from '../answer/block-entries.js';
import type { AgentExit } from '../contract.js';

/** Source: `TurnOutcome.why` in protocol/run/outcomes.ts. */
const MAX_WHY_CHARS = 300;

/** Null: the process exited. `complaint` is the last that it said. */
export function readGuardEnd(exit: Pick<AgentExit, 'reason'>, complaint: string): TurnOutcome | null {
  switch (exit.reason) {
    case 'timed_out':
      return { kind: 'timeout', why: why('the agent was ended at its time limit', complaint) };
    case 'stalled':
      return {
        kind: 'timeout',
        why: why('the agent was ended because it printed nothing for the stall limit', complaint),
      };
    case 'output_limit':
      return {
        kind: 'hard',
        why: why('the agent was ended because it printed more than limits.outputBytes', complaint),
      };
    case 'aborted':
      return { kind: 'hard', why: why('the agent was ended by an abort', '') };
    case 'interrupted':
      return { kind: 'transient', why: why('the agent was interrupted before it ended', '') };
    case 'exited':
      return null;
  }
}

export function why(fact: string, complaint: string): string {
  return cut(complaint === '' ? fact : `${fact}: ${complaint}`, MAX_WHY_CHARS);
}
