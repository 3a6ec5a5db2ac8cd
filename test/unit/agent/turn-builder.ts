/** A turn with defaults; a test names only what it is about. */
import type { TurnRequest } from '../../../activities/agent/contract.js';
import { DEFAULT_CONTEXT_BYTES } from '../../../protocol/limits.js';

export function aTurn(given: Partial<TurnRequest> = {}): TurnRequest {
  return {
    stage: 'executing',
    round: 0,
    ask: 'work',
    prompt: 'do it\n',
    cwd: '/worktree',
    config: { adapter: 'command', command: ['/bin/true'], args: [], env: {}, model: null, fallback: null },
    stagePolicy: {
      agent: 'bot',
      model: null,
      effort: null,
      timeoutMs: 60_000,
      instructions: null,
      prompt: null,
      tools: 'run',
      contextBytes: DEFAULT_CONTEXT_BYTES,
    },
    env: {},
    tools: 'run',
    permissions: 'auto',
    permissionAnswers: [],
    resume: null,
    decisionCode: 'ab12cd34',
    ...given,
  };
}
