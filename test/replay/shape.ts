/** What one kept history is made of: how the stub host answers, how the workflow is started, and what people do meanwhile. */
import type { WorkflowHandle } from '@temporalio/client';
import type { RunInput, RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { type Activities, type StubHost, stubOpen, stubTurn } from '../support/stub-host.js';

export interface Shape {
  readonly activities?: Partial<Activities>;
  /** Without it: a run of a small task. */
  start?(host: StubHost, workflowId: string): Promise<WorkflowHandle>;
  /** Done while it is open. Another handle than the one given: its history is kept. */
  drive?(handle: WorkflowHandle, host: StubHost): Promise<WorkflowHandle | void>;
  /** It never ends: it is kept as it stands then. */
  readonly isEndless?: true;
}

/** By the name of the file, without `.json`: `<workflow>-<shape>`. */
export type Shapes = Readonly<Record<string, Shape>>;

export const TASK: RunInput = { task: 'change a.txt', repo: '/repository' };

export function withPolicy(policy: Partial<RunPolicy>): Partial<Activities> {
  return { openRun: async (input) => stubOpen(input, STAGE_LISTS.full, policy) };
}

/** `part` is what differs from a turn in which everything goes well. */
export function withTurns(part: (input: RunTurnInput) => Partial<RunTurnResult>): Partial<Activities> {
  return { runTurn: async (input) => stubTurn(input, part(input)) };
}

/** Each entry is one turn of the stage in this run; those after the last go well. Made anew for each recording. */
export function inStage(
  stage: RunTurnInput['stage'],
  ...parts: Partial<RunTurnResult>[]
): (input: RunTurnInput) => Partial<RunTurnResult> {
  const left = [...parts];
  return (input) => (input.stage === stage ? (left.shift() ?? {}) : {});
}
