/** What an agent can be started for: a stage of a run, or an ask about a task. */
import type { AskName } from './admission-policy.js';
import type { TurnStage } from './stages.js';

export type TurnName = TurnStage | AskName;
