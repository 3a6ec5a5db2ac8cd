/** What a prompt is composed of, for tests that need one and no run. */
import type { PromptInput } from '../../../activities/agent/prompts/prompt-input.js';
import { DEFAULT_CONTEXT_BYTES } from '../../../protocol/limits.js';

export const CODE = 'ab12cd34';

export const aPromptInput = (given: Partial<PromptInput>): PromptInput => ({
  stage: 'planning',
  ask: 'work',
  task: 'Fix the prototype pollution in setKey.\nKeep the API.',
  title: 'Fix the prototype pollution',
  round: 0,
  decisionCode: CODE,
  baseSha: 'a'.repeat(40),
  head: 'b'.repeat(40),
  branch: 'sluice/demo-261121-abcd',
  plan: null,
  architecture: null,
  validation: null,
  validationOutput: [],
  review: null,
  findings: [],
  notes: [],
  readOnly: false,
  tools: 'read',
  instructions: null,
  template: null,
  contextBytes: DEFAULT_CONTEXT_BYTES,
  afterOverflow: false,
  previousOutput: null,
  step: null,
  ...given,
});
