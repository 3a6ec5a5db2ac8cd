/** docs/messages.md: every message of a run, from the definitions that the workflow reads; only the meaning is written here. */
import {
  LAST_FREE_JOURNAL_EVENTS,
  MAX_BY_CHARS,
  MAX_KNOWN_REQUESTS,
  MAX_NOTE_CHARS,
  MAX_REFUSED_LINES,
  MAX_TITLE_CHARS,
  MAX_WAITING_NOTES,
} from '../protocol/limits.js';
import { DETAILS_QUERY, STATUS_QUERY } from '../protocol/names.js';
import { GATE_DECISIONS, MESSAGE_FIELDS, RUN_MESSAGES, type RunMessageName } from '../protocol/run-message.js';

interface Page {
  readonly does: string;
  readonly refused: string;
  /** For `--input`; null: nothing need be said. */
  readonly example: string | null;
  readonly cli: string;
}

const PAGES: Readonly<Record<RunMessageName, Page>> = {
  approve: {
    does: `decides the open gate: \`decision\` is ${GATE_DECISIONS.map((name) => `\`${name}\``).join(', ')}; unsaid it is \`approve\`. \`commit\`: the tip that the person saw. \`request_changes\` needs a \`note\``,
    refused: 'no gate, or another than `gate`, is open; `commit` is not the tip; changes are not offered there; a question has no `note`',
    example: '{"decision":"request_changes","note":"keep the old name"}',
    cli: 'sluice approve · reject · approvals decide',
  },
  pause: {
    does: 'pauses at the next stage boundary',
    refused: `the run is paused, waits at a gate, or has ${LAST_FREE_JOURNAL_EVENTS} events; asked for twice it is accepted without effect`,
    example: null,
    cli: 'sluice pause',
  },
  resume: {
    does: 'goes on from the status that the run was paused at, or cancels a pause that is pending',
    refused: 'nothing is paused or pending',
    example: null,
    cli: 'sluice resume',
  },
  abort: {
    does: 'ends the run `aborted`: what works is ended; worktree, branch and artifacts stay. Native cancellation does the same',
    refused: 'never, while the run is open',
    example: '{"reason":"wrong task"}',
    cli: 'sluice abort',
  },
  steer: {
    does: "puts a text into the next turn's prompt",
    refused: `it says nothing; ${MAX_WAITING_NOTES} texts wait already; the run has ${LAST_FREE_JOURNAL_EVENTS} events`,
    example: '{"text":"use the standard library"}',
    cli: 'sluice steer',
  },
  rename: {
    does: `gives the run another title, of at most ${MAX_TITLE_CHARS} characters`,
    refused: `it says nothing; the run has ${LAST_FREE_JOURNAL_EVENTS} events`,
    example: '{"title":"Fix the parser"}',
    cli: 'sluice rename',
  },
  answer: {
    does: 'answers the question of a turn, which is then taken again with the answer; `promptId` is the id of its gate',
    refused: 'no question, or another than `promptId`, is open; it says nothing',
    example: '{"text":"sqlite"}',
    cli: 'sluice answer',
  },
};

export function renderMessages(): string {
  return [
    '# Messages of a run',
    '',
    'Generated from `protocol/run-message.ts` and `protocol/limits.ts` by `npm run docs`; do not edit.',
    '',
    'Each message is an **Update** (checked at once, answered, a refused one leaves no trace) and a **Signal** of the same name, for',
    '`temporal workflow signal` and for times when no worker runs: it is kept by the server and checked on arrival. Both feed one function.',
    `A refused Signal, or one of an unknown name, leaves a line \`message.refused\` in the journal, at most ${MAX_REFUSED_LINES} a run.`,
    '',
    '- The argument is one object; what is missing is read kindly. A bare text is the `text` of a steer or an answer, or the `title` of a rename.',
    `- \`by\` says who sends it, \`requestId\` is the Update's id: what came before under one of the last ${MAX_KNOWN_REQUESTS} is not applied again.`,
    `- Texts have at most ${MAX_NOTE_CHARS} characters, names and ids ${MAX_BY_CHARS}; an unknown field or another type is refused by name.`,
    '- A decision counts until the gate is left: one that was stored while no worker ran is applied even after the hour at which the gate would have expired.',
    '- Once the outcome is decided every message is refused: the run is closed.',
    '- The CLI sends an Update; if no worker accepts it within 10 s it leaves the Signal, with the same request id, and says `queued`.',
    '- The CLI refuses to send from inside a turn, so that an agent does not approve itself. Without a sandbox that is advisory.',
    '',
    '| name | fields | what it does | refused when | command |',
    '|---|---|---|---|---|',
    ...RUN_MESSAGES.map((name) => row(name, PAGES[name])),
    '',
    'With Temporal’s own tool:',
    '',
    '```',
    ...RUN_MESSAGES.map((name) => signal(name, PAGES[name].example)),
    'temporal workflow update execute --workflow-id <run> --name pause',
    `temporal workflow query --workflow-id <run> --type ${STATUS_QUERY}`,
    `temporal workflow query --workflow-id <run> --type ${DETAILS_QUERY}`,
    '```',
    '',
    `Query \`${STATUS_QUERY}\` answers the run view, the shape of state.json; \`${DETAILS_QUERY}\` the policy in force, the budget used and all gates.`,
    'A `batch` takes `abort` alone, with the same fields.',
    '',
  ].join('\n');
}

function row(name: RunMessageName, { does, refused, cli }: Page): string {
  return `| \`${name}\` | ${MESSAGE_FIELDS[name].map((field) => `\`${field}\``).join(' ')} | ${does} | ${refused} | \`${cli}\` |`;
}

function signal(name: RunMessageName, example: string | null): string {
  return `temporal workflow signal --workflow-id <run> --name ${name}${example === null ? '' : ` --input '${example}'`}`;
}
