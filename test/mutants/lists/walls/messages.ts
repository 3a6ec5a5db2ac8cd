/** Walls: messages past a limit of the server. */
import type { Mutant } from '../../mutant.js';

const SEND = 'client/calls/send-message.ts';
const SENT = 'test/unit/client/send-message.test.ts';
const LIMITS = 'test/workflow/message-limits.test.ts';

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
];
