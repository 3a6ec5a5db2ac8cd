/** The commands by which people take part in a run: decisions, pauses, texts, its end. Texts only: bodies lie in commands/. */

import type { TextMessage } from '../commands/send-text.js';
import { runAndText } from '../find/run-and-text.js';
import type { ExitName } from '../terminal/exit-codes.js';
import { type CommandRow, LOOKING, MEANT_RUN_HELP, row } from './command-row.js';

const SENDING: readonly ExitName[] = ['done', 'notStarted', 'needsPerson', 'detached'];
const SENT = {
  done: 'accepted by the run, or queued: the server keeps it until a worker is back',
  notStarted: 'not sent: wrong usage, inside a turn, engine down or server not reachable',
  needsPerson: 'refused: by the run, since no such gate is open, or since the run is closed',
  detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP; whether the run took it is said',
};

const SENDS = { exits: SENDING, special: SENT, ownsStop: true } as const;

/** Of a command whose run may be left out before a text. */
const RUN_OR_TEXT = 'the run, or the text: then the run is the only one that can be meant';

export const PEOPLE_COMMANDS: readonly CommandRow[] = [
  ...(['approve', 'reject'] as const).map((name) =>
    row(name, {
      ...SENDS,
      about:
        name === 'approve' ? 'approve the open gate; the run goes on' : 'reject the open gate; the run ends blocked',
      takes: (command) =>
        command
          .argument('[run]', MEANT_RUN_HELP)
          .option('-m, --note <text>', 'why; it is kept with the decision')
          .option('--gate <id>', 'the gate (default: the open one)')
          .option('--commit <sha>', 'the commit that the decision is about (default: the one that the gate shows)'),
      body: async ({ context, args: [run = null], options }) =>
        (await import('../commands/approve.js')).decide(context, name, { ...options, run }),
    }),
  ),
  ...(['pause', 'resume'] as const).map((name) =>
    row(name, {
      ...SENDS,
      about: name === 'pause' ? 'stop at the next stage boundary' : 'go on after a pause, or take the request back',
      takes: (command) => command.argument('[run]', MEANT_RUN_HELP).option('-m, --note <text>', 'why'),
      body: async ({ context, args: [run = null], options }) =>
        (await import('../commands/pause.js')).sendNote(context, name, { ...options, run }),
    }),
  ),
  row('abort', {
    ...SENDS,
    about: 'end a run; worktree, branch and files stay',
    takes: (command) =>
      command
        .argument('[run]', MEANT_RUN_HELP)
        .option('-m, --reason <text>', 'why')
        .option('--wait', 'wait until it is closed', false),
    body: async ({ context, args: [run = null], options }) =>
      (await import('../commands/abort.js')).abort(context, { ...options, run }),
  }),
  textRow({ name: 'steer', field: 'text' }, 'a text that the next turn reads; "-" reads it from standard input'),
  row('answer', {
    ...SENDS,
    about: 'answer the question of a turn; "-" reads the text from standard input',
    takes: (command) =>
      command
        .argument('<run-or-text>', RUN_OR_TEXT)
        .argument('[text]')
        .option('--gate <id>', 'the question (default: the open one)')
        .usage('[options] [run] "<text>"'),
    body: async ({ context, args, options }) =>
      (await import('../commands/answer.js')).answer(context, { ...options, ...runAndText(...args) }),
  }),
  textRow({ name: 'rename', field: 'title' }, 'another title for a run'),
  row('approvals list', {
    about: 'the open gates of all runs, or all gates of one',
    exits: LOOKING,
    takes: (command) => command.argument('[run]', 'any part of an id that no other run has'),
    body: async ({ context, args: [run = null] }) =>
      (await import('../commands/approvals.js')).listApprovals(context, { run }),
  }),
  row('approvals show', {
    about: 'one gate in full',
    exits: SENDING,
    special: { needsPerson: 'the run has no such gate' },
    takes: (command) =>
      command.argument('[run]', MEANT_RUN_HELP).argument('[gate]', 'the gate (default: the open one, or the last)'),
    body: async ({ context, args: [run = null, gate = null] }) =>
      (await import('../commands/approvals.js')).showApproval(context, { run, gate }),
  }),
  row('approvals decide', {
    ...SENDS,
    about: 'decide a gate: exactly one of the three',
    takes: (command) =>
      command
        .argument('<run>', 'any part of an id that no other run has')
        .argument('[gate]', 'the gate (default: the open one)')
        .option('--approve', 'the run goes on', false)
        .option('--reject', 'the run ends blocked', false)
        .option('--request-changes <text>', 'the work is done again with this text, then the gate opens again')
        .option('-m, --note <text>', 'why; it is kept with the decision')
        .option('--commit <sha>', 'the commit that the decision is about (default: the one that the gate shows)'),
    body: async ({ context, args: [run, gate = null], options }) =>
      (await import('../commands/approvals.js')).decideApproval(context, { ...options, run, gate }),
  }),
];

function textRow(message: TextMessage, about: string): CommandRow {
  const { name, field } = message;
  return row(name, {
    ...SENDS,
    about,
    takes: (command) =>
      command.argument(`<run-or-${field}>`, RUN_OR_TEXT).argument(`[${field}]`).usage(`[options] [run] "<${field}>"`),
    body: async ({ context, args }) =>
      (await import('../commands/send-text.js')).sendText(context, message, runAndText(...args)),
  });
}
