/** Long-lived workflows: what one execution leaves to the next, and what others hear of it. */
import type { Mutant } from '../mutant.js';

const CORE = 'workflows/actor/core.ts';
const INBOX = 'workflows/inbox/inbox.ts';
const ACTOR = 'test/unit/workflows/actor.test.ts';

const LASTING =
  'begins nothing that lasts where another execution is due, which begins it: one after the other would never end';

export const ACTOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'request ids are not carried to the next execution',
    area: 'actors',
    file: CORE,
    find: 'answered: this.inbox.answered, ...waiting };',
    replace: 'answered: this.inbox.answered.slice(0, 0), ...waiting };',
    test: {
      file: ACTOR,
      title: 'applies what has one request id once, also in a later execution, and refuses another message under it',
    },
  },
  {
    name: 'a request id stands for any message',
    area: 'actors',
    file: INBOX,
    find: 'if (before?.name === name) return',
    replace: 'if (before !== undefined) return',
    test: {
      file: ACTOR,
      title: 'applies what has one request id once, also in a later execution, and refuses another message under it',
    },
  },
  {
    name: 'a workflow hands over while a message waits to be sent',
    area: 'actors',
    file: CORE,
    find: 'isDue && this.underWay.size === 0 && this.waiting.every(({ workflowId }) => held.has(workflowId));',
    replace: 'isDue;',
    test: { file: ACTOR, title: 'hands over and ends only once everything is delivered and answered' },
  },
  {
    name: 'one long errand after the other keeps a workflow from ever being handed over',
    area: 'actors',
    file: CORE,
    find: 'isFree && !(isDue && errand.lasts === true && !isAwaited);',
    replace: 'isFree;',
    test: { file: ACTOR, title: LASTING },
  },
  {
    name: 'what was left to be begun is forgotten by the next execution',
    area: 'actors',
    file: CORE,
    find: '(before.waiting ?? [])',
    replace: '[]',
    test: { file: ACTOR, title: LASTING },
  },
  {
    name: 'a workflow ends before its last signal is answered',
    area: 'actors',
    file: CORE,
    find: 'this.waiting.length === 0 && this.underWay.size === 0;',
    replace: 'this.waiting.length === 0;',
    test: { file: ACTOR, title: 'hands over and ends only once everything is delivered and answered' },
  },
  {
    name: 'the answer to a signal is lost, and the next one waits for ever',
    area: 'actors',
    file: CORE,
    find: 'this.underWay.delete(workflowId);',
    replace: '',
    test: {
      file: ACTOR,
      title: 'does in any number of executions, under any order of messages, what one would have done',
    },
  },
  {
    name: 'two signals to one workflow overtake each other',
    area: 'actors',
    file: CORE,
    find: ' && !behind.has(errand.workflowId);',
    replace: ';',
    test: { file: ACTOR, title: 'tells one workflow one thing at a time, in order, and at most a hundred at once' },
  },
  {
    name: 'an unknown signal is read as a message',
    area: 'actors',
    file: INBOX,
    find: 'const name = names.find((known) => known === incoming.name);',
    replace: 'const name = names.find((known) => known === incoming.name) ?? names[0];',
    test: {
      file: ACTOR,
      title:
        'refuses an unknown signal, one that cannot be read and one that its rules refuse, and none of them changes it',
    },
  },
  {
    name: 'a new execution keeps the old rules',
    area: 'actors',
    file: CORE,
    find: 'return { rules: this.actor.rules.length, state',
    replace: 'return { rules: this.before.rules, state',
    test: {
      file: ACTOR,
      title:
        'keeps the rules that an execution began with; the next one takes the newest, and what nobody here knows is an error',
    },
  },
  {
    name: 'an upgrade asks those that have the newest rules',
    area: 'actors',
    file: 'worker/ask-to-hand-over.ts',
    find: "memo?.['rules'] !== rules",
    replace: "memo?.['rules'] === rules",
    test: {
      file: 'test/unit/workflows/ask-to-hand-over.test.ts',
      title: 'asks those that decide by older rules to hand over, and no other',
    },
  },
  {
    name: 'a run is refused although the one that held the last turn is dead',
    area: 'actors',
    file: 'workflows/budget/ledger-rules.ts',
    find: 'isThere ? before.ledger : release(before.ledger, token);',
    replace: 'isThere ? before.ledger : before.ledger;',
    test: {
      file: 'test/unit/workflows/ledger-rules.test.ts',
      title: 'gives the turn of a run that is gone to the first of those that wait',
    },
  },
  {
    name: 'an aborted batch starts what waits',
    area: 'actors',
    file: 'workflows/batch/batch-table.ts',
    find: 'rows, queue: [], aborted: true',
    replace: 'rows, aborted: true',
    test: {
      file: 'test/unit/workflows/batch-table.test.ts',
      title: 'starts nothing where it is aborted before it begins',
    },
  },
  {
    name: 'a gate that is replayed tells its runs another word',
    area: 'actors',
    file: 'workflows/quota/quota-gate.ts',
    find: 'argument: word });',
    replace: "argument: { ...word, word: 'open' } });",
    test: {
      file: 'test/replay/replay.test.ts',
      title: '%s asks the same of activities, children and other workflows, with the same input',
    },
  },
  {
    name: 'an execution decides by the rules of whatever worker it has',
    area: 'actors',
    file: 'workflows/actor/live.ts',
    find: 'if (patched(`rules-${n}`)) return n;',
    replace: 'if (n > 1) return n;',
    test: {
      file: 'test/workflow/newer-rules.test.ts',
      title:
        'decides by its own until it is asked to hand over, and by the newer ones with what it has counted from then on',
    },
  },
  {
    name: 'a first execution has the oldest rules',
    area: 'actors',
    file: 'workflows/actor/live.ts',
    find: 'for (let n = rules; n > 1; n -= 1)',
    replace: 'for (let n = 1; n > 1; n -= 1)',
    test: {
      file: 'test/workflow/newer-rules.test.ts',
      title: 'that is started under it has the newest, also after the worker is replaced again',
    },
  },
];
