/** Loads what the prompt of each stage says from the file that bears its name, so that a row and a file make a stage. Errors: a row without a file. */
import { TURN_STAGES, type TurnStage } from '../../../protocol/run/stages.js';
import type { PromptInput, StageWork } from './prompt-input.js';

type DescribeWork = (input: PromptInput) => StageWork;

const loaded: [TurnStage, DescribeWork][] = [];
// One after another: jest loses what two imports at the same time share (jestjs/jest#11434).
for (const stage of TURN_STAGES) {
  // A path that is made has no type; the golden files hold each stage's words.
  const { describeWork } = (await import(`./stages/${stage}.js`)) as { readonly describeWork: DescribeWork };
  loaded.push([stage, describeWork]);
}

/** `fromEntries` forgets which keys it is given. */
export const describeWorkOf = Object.fromEntries(loaded) as Readonly<Record<TurnStage, DescribeWork>>;
