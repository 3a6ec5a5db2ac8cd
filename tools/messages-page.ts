/** docs/messages.md: every message of a run, from the rows that the workflow reads. */
import {
  FULL_HISTORY,
  LAST_HISTORY,
  MAX_BY_CHARS,
  MAX_KNOWN_REQUESTS,
  MAX_NOTE_CHARS,
  MAX_REFUSED_LINES,
} from '../protocol/limits.js';
import { kindsOf, MESSAGE_ROWS, RUN_MESSAGES, type RunMessageName } from '../protocol/messages/message-rows.js';
import { DETAILS_QUERY, STATUS_QUERY } from '../protocol/names.js';
import { MESSAGE_LIMITS } from '../worker/local-engine/children/server-command.js';

export function renderMessages(): string {
  return [
    '# Messages of a run',
    '',
    'Generated from `protocol/messages/message-rows.ts` and `protocol/limits.ts` by `npm run docs`; do not edit.',
    '',
    'Each message is an **Update** (checked at once, answered, a refused one leaves no trace) and a **Signal** of the same name, for',
    '`temporal workflow signal` and for times when no worker runs: it is kept by the server and checked on arrival. Both feed one function.',
    `A refused Signal, or one of an unknown name, leaves a line \`message.refused\` in the journal, at most ${MAX_REFUSED_LINES} a run.`,
    '',
    '- The argument is one object; what is missing is read kindly. A bare text is the `text` or the `title` of a message that must have one.',
    `- \`by\` says who sends it, \`requestId\` is the Update's id: what came before under one of the last ${MAX_KNOWN_REQUESTS} is not applied again.`,
    `- Texts have at most ${MAX_NOTE_CHARS} characters, names and ids ${MAX_BY_CHARS}; an unknown field or another type is refused by name.`,
    '- A decision counts until the gate is left: one that was stored while no worker ran is applied even after the hour at which the gate would have expired.',
    '- Once the outcome is decided every message is refused: the run is closed.',
    '- What changes nothing, such as a second `pause` or `abort`, is answered as accepted without effect. For raw Updates that answer is a refusal of the',
    '  type `MessageUnchanged`, whose message is the answer: the server counts what is accepted, and not what is refused.',
    '- What a backlog has no room for yet it refuses by the type `MessageBusy`: sent again later it may be taken. A batch sends such a task again by itself.',
    '- A worker that just loaded a run keeps an Update out once, by a refusal of the type `UnprocessedUpdate`, where it cannot tell whether a step before it was',
    '  a workflow task of its own: sent again it is taken. Our own commands do that, and leave the Signal where it is kept out twice.',
    '- The CLI sends an Update; if no worker accepts it within 10 s, or the server counts too many, it leaves the Signal, with the same request id,',
    '  and says `queued`. A message is accepted, queued, or said not to be kept; it is never lost.',
    '- The CLI refuses to send from inside a turn, so that an agent does not approve itself. Without a sandbox that is advisory.',
    '',
    '| name | fields | what it does | refused when | command |',
    '|---|---|---|---|---|',
    ...RUN_MESSAGES.map((name) => row(name)),
    '',
    'With Temporal’s own tool:',
    '',
    '```',
    ...RUN_MESSAGES.map((name) => signal(name)),
    'temporal workflow update execute --workflow-id <run> --name pause',
    `temporal workflow query --workflow-id <run> --type ${STATUS_QUERY}`,
    `temporal workflow query --workflow-id <run> --type ${DETAILS_QUERY}`,
    '```',
    '',
    `Query \`${STATUS_QUERY}\` answers the run view, the shape of state.json; \`${DETAILS_QUERY}\` the policy in force, the budget used and all gates.`,
    'A `batch` takes `abort` alone, with the same fields.',
    '',
    ...limitLines(),
    '',
  ].join('\n');
}

interface LimitRow {
  readonly what: string;
  /** Of server 1.31.2. Source: its common/dynamicconfig/constants.go. */
  readonly byDefault: string;
  readonly ours: number | null;
  readonly happens: string;
  readonly shownBy: string;
}

const LIMITS_TEST = '`test/workflow/message-limits.test.ts`';

const LIMITS: readonly LimitRow[] = [
  {
    what: 'Updates that one run accepted, `history.maxTotalUpdates`',
    byDefault: '2 000',
    ours: MESSAGE_LIMITS['history.maxTotalUpdates'],
    happens:
      'every message goes as a Signal and is `queued`; a refused Update is not counted, one of a known Update id neither',
    shownBy: `${LIMITS_TEST}: "takes every message as a Signal once its Updates are used up, and refused ones never counted"`,
  },
  {
    what: 'Updates in flight, `history.maxInFlightUpdates`',
    byDefault: '10',
    ours: null,
    happens: 'tried again for 10 s, then it goes as a Signal; a run answers at once, so only a stopped worker fills it',
    shownBy: '`test/unit/client/send-message.test.ts`: "leaves a message as a Signal where %s"',
  },
  {
    what: 'Signals to one run, `history.maximumSignalsPerExecution`',
    byDefault: '10 000',
    ours: MESSAGE_LIMITS['history.maximumSignalsPerExecution'],
    happens:
      '`abort` goes as a native cancellation, which is not counted; anything else is said not to be kept, with what mends it',
    shownBy: `${LIMITS_TEST}: "is ended by an abort when its Signals are used up too; anything else is said not to be kept"`,
  },
  {
    what: 'events of one run, `limit.historyCount.error`',
    byDefault: '51 200',
    ours: MESSAGE_LIMITS['limit.historyCount.error'],
    happens: `from ${FULL_HISTORY.events} on the run ends \`blocked\`, \`history_full\`, at its next boundary, or at once where it waits or is paused; from ${LAST_HISTORY.events} on in the middle of a turn too. Branch, worktree and files stay; a rewind goes on. A Signal costs 1 event and up to 3 of its workflow task, an accepted Update 2 and as many`,
    shownBy:
      '`test/unit/workflows/full-history.test.ts`: "is full by its events as by its bytes, at half of what a server takes, and nearly at its end at four fifths"',
  },
  {
    what: 'bytes of that history, `limit.historySize.error`',
    byDefault: '50 MiB',
    ours: MESSAGE_LIMITS['limit.historySize.error'],
    happens: `the same, from ${FULL_HISTORY.bytes} and from ${LAST_HISTORY.bytes} bytes on`,
    shownBy: `${LIMITS_TEST}: "ends where it waits at a gate, long before the server would terminate it, and can be replayed", "ends in the middle of a turn that lasts until the server would terminate it"`,
  },
  {
    what: 'one payload, `limit.blobSize.error`',
    byDefault: '2 MiB',
    ours: null,
    happens:
      'the server refuses it to its sender, and the run never hears of it; a longer text than ours is refused by the run',
    shownBy: `${LIMITS_TEST}: "never hears of a message that is larger than its server takes"`,
  },
  {
    what: 'messages that wait behind one workflow task, `history.maximumBufferedEventsBatch`',
    byDefault: '100, or 2 MB',
    ours: null,
    happens: 'the server ends that task and begins the next one with all of them; nothing is lost',
    shownBy:
      '`test/faults/long-history.test.ts`: "is replayed by a new worker, answers, takes its gates, and closes with a whole journal and a right report"',
  },
];

function limitLines(): readonly string[] {
  return [
    '## Limits of the server',
    '',
    'What anybody who reaches the server may send has an end there. The dev server of the local engine and `deploy/temporal/dynamicconfig` have more room',
    'than the defaults; what happens at each limit is the same on any server. Not covered: Signals faster than a worker handles one, and a worker that is',
    'away while they come, leave a run no moment to end by itself; then the server terminates it. A batch that is sent as many is terminated too, and its runs are aborted.',
    '',
    '| limit | default | ours | what happens | shown by |',
    '|---|---|---|---|---|',
    ...LIMITS.map(
      ({ what, byDefault, ours, happens, shownBy }) =>
        `| ${what} | ${byDefault} | ${ours ?? 'the same'} | ${happens} | ${shownBy} |`,
    ),
  ];
}

function row(name: RunMessageName): string {
  const { does, refused, cli } = MESSAGE_ROWS[name];
  const fields = Object.keys(kindsOf(name)).map((field) => `\`${field}\``);
  return `| \`${name}\` | ${fields.join(' ')} | ${does} | ${refused} | \`${cli}\` |`;
}

function signal(name: RunMessageName): string {
  const { example } = MESSAGE_ROWS[name];
  return `temporal workflow signal --workflow-id <run> --name ${name}${example === null ? '' : ` --input '${example}'`}`;
}
