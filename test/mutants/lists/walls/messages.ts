/** Walls: messages past a limit of the server, and whom the command line asks. */
import type { Mutant } from '../../mutant.js';

const SEND = 'client/calls/send-message.ts';
const SENT = 'test/unit/client/send-message.test.ts';
const LIMITS = 'test/workflow/message-limits.test.ts';
const CALLS = 'test/unit/client/calls.test.ts';

export const WALL_MESSAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a message past the count of Updates is not left as a Signal',
    area: 'walls',
    file: SEND,
    find: 'isServerLimit(error)',
    replace: 'false',
    test: { file: SENT, title: 'leaves a message as a Signal where %s' },
  },
  {
    name: 'an abort past the count of Signals is not kept',
    area: 'walls',
    file: SEND,
    find: "return sent.name === 'abort' ? cancelled(port) :",
    replace: 'return',
    test: {
      file: SENT,
      title: 'cancels in place of an abort where the signals are used up too, and says of all else that it is not kept',
    },
  },
  {
    name: 'what changes nothing counts as an Update of the run',
    area: 'walls',
    file: 'workflows/inbox/inbox.ts',
    find: "if (judged.kind === 'unchanged')",
    replace: "if (judged.kind === 'known')",
    test: {
      file: 'test/workflow/messages.test.ts',
      title: 'pauses at the end of the running stage and goes on where it stood',
    },
  },
  {
    name: 'a run whose history is full waits on at its gate',
    area: 'walls',
    file: 'workflows/run/full-history.ts',
    find: '(run.opened !== null && run.waiting !== null) || reaches(LAST_HISTORY, workflowInfo())',
    replace: 'reaches(LAST_HISTORY, workflowInfo())',
    test: {
      file: LIMITS,
      title: 'ends where it waits at a gate, long before the server would terminate it, and can be replayed',
    },
  },
  {
    name: 'a call of the command line that is made again is another call to the server',
    area: 'walls',
    file: 'client/calls/ask-calls.ts',
    find: 'const call = [name, withRequestId(name, data), stop] as const;',
    replace: 'const call = [name, data, stop] as const;',
    test: { file: CALLS, title: '%s is made again elsewhere under its request id when whoever makes it dies' },
  },
  {
    name: 'the command line tells a socket of another user what it asks',
    area: 'walls',
    file: 'client/calls/ask-calls.ts',
    find: 'if (!isOwnSocket(path)) return null;',
    replace: '',
    test: { file: CALLS, title: 'counts as none when it is of another user' },
  },
  {
    name: 'an engine of another user is obeyed',
    area: 'walls',
    file: 'worker/local-engine/control/control.ts',
    find: 'if (!isOwnSocket(socketPath)) return null;',
    replace: '',
    test: { file: 'test/unit/engine/engine.test.ts', title: 'is not the engine’s, whatever it answers' },
  },
  {
    name: 'a call goes on after whoever asked is gone',
    area: 'walls',
    file: 'client/calls/serve-calls.ts',
    find: 'for (const ending of underWay.values()) ending.abort();',
    replace: '',
    test: { file: CALLS, title: 'ends where it is made when whoever asked dies' },
  },
  {
    name: 'an engine whose home is removed lives on',
    area: 'engine',
    file: 'worker/local-engine/engine.ts',
    find: 'if (fileOfLock(this.#paths.lock, this.#lock) !== this.#lock) void this.stop({ now: true });',
    replace: '',
    test: { file: 'test/unit/engine/engine.test.ts', title: 'ends with all that it owns once its home is removed' },
  },
];
