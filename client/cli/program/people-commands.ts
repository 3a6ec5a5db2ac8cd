/** The commands by which people take part in a run: decisions, pauses, texts, its end. Texts only: bodies lie in commands/. */
import type { Command } from '@commander-js/extra-typings';
import type { ExitName } from '../exit-codes.js';
import { runAndText } from '../run-and-text.js';
import { command, LOOKING, type ProgramHost, RUN_HELP } from './command-builder.js';

const SENDING: readonly ExitName[] = ['done', 'notStarted', 'needsPerson', 'detached'];
const SENT = {
  done: 'accepted by the run, or queued: the server keeps it until a worker is back',
  notStarted: 'not sent: wrong usage, inside a turn, engine down or server not reachable',
  needsPerson: 'refused: by the run, since no such gate is open, or since the run is closed',
  detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP; whether the run took it is said',
};

/** Of a command whose run may be left out before a text. */
const RUN_OR_TEXT = 'the run, or the text: then the run is the only one that can be meant';

export function addPeopleCommands(program: Command, host: ProgramHost): void {
  addDecisions(program, host);
  addPauses(program, host);
  addAbort(program, host);
  addTexts(program, host);
  const approvals = program.command('approvals').description('the gates of runs: list, show, decide');
  addApprovals(approvals as Command, host);
}

const sending = (parent: Command, name: string, about: string) => command(parent, name, { about, exits: SENDING, special: SENT });

function addDecisions(program: Command, host: ProgramHost): void {
  for (const name of ['approve', 'reject'] as const) {
    const about = name === 'approve' ? 'approve the open gate; the run goes on' : 'reject the open gate; the run ends blocked';
    sending(program, name, about)
      .argument('[run]', RUN_HELP)
      .option('-m, --note <text>', 'why; it is kept with the decision')
      .option('--gate <id>', 'the gate (default: the open one)')
      .option('--commit <sha>', 'the commit that the decision is about (default: the one that the gate shows)')
      .action(async (run, options) => {
        await host.start(async (context) => (await import('../commands/approve.js'))[name](context, { ...options, run: run ?? null }), {
          ...options,
          ownsStop: true,
        });
      });
  }
}

function addPauses(program: Command, host: ProgramHost): void {
  for (const name of ['pause', 'resume'] as const) {
    const about = name === 'pause' ? 'stop at the next stage boundary' : 'go on after a pause, or take the request back';
    sending(program, name, about)
      .argument('[run]', RUN_HELP)
      .option('-m, --note <text>', 'why')
      .action(async (run, options) => {
        await host.start(async (context) => (await import('../commands/pause.js'))[name](context, { ...options, run: run ?? null }), {
          ...options,
          ownsStop: true,
        });
      });
  }
}

function addAbort(program: Command, host: ProgramHost): void {
  sending(program, 'abort', 'end a run; worktree, branch and files stay')
    .argument('[run]', RUN_HELP)
    .option('--reason <text>', 'why')
    .option('--wait', 'wait until it is closed', false)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/abort.js')).abort(context, { ...options, run: run ?? null }), {
        ...options,
        ownsStop: true,
      });
    });
}

function addTexts(program: Command, host: ProgramHost): void {
  sending(program, 'steer', 'a text that the next turn reads; "-" reads it from standard input')
    .argument('<run-or-text>', RUN_OR_TEXT)
    .argument('[text]')
    .usage('[options] [run] "<text>"')
    .action(async (first, second, options) => {
      await host.start(async (context) => (await import('../commands/steer.js')).steer(context, runAndText(first, second)), {
        ...options,
        ownsStop: true,
      });
    });
  sending(program, 'answer', 'answer the question of a turn; "-" reads the text from standard input')
    .argument('<run-or-text>', RUN_OR_TEXT)
    .argument('[text]')
    .option('--gate <id>', 'the question (default: the open one)')
    .usage('[options] [run] "<text>"')
    .action(async (first, second, options) => {
      const body = { ...options, ...runAndText(first, second) };
      await host.start(async (context) => (await import('../commands/answer.js')).answer(context, body), { ...options, ownsStop: true });
    });
  sending(program, 'rename', 'another title for a run')
    .argument('<run-or-title>', RUN_OR_TEXT)
    .argument('[title]')
    .usage('[options] [run] "<title>"')
    .action(async (first, second, options) => {
      await host.start(async (context) => (await import('../commands/rename.js')).rename(context, runAndText(first, second)), {
        ...options,
        ownsStop: true,
      });
    });
}

function addApprovals(approvals: Command, host: ProgramHost): void {
  command(approvals, 'list', { about: 'the open gates of all runs, or all gates of one', exits: LOOKING })
    .argument('[run]', 'any part of an id that no other run has')
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/approvals.js')).listApprovals(context, { run: run ?? null }), {
        ...options,
        ownsStop: false,
      });
    });
  command(approvals, 'show', { about: 'one gate in full', exits: ['done', 'notStarted', 'needsPerson', 'detached'], special: SHOWN })
    .argument('[run]', RUN_HELP)
    .argument('[gate]', 'the gate (default: the open one, or the last)')
    .action(async (run, gate, options) => {
      const body = { run: run ?? null, gate: gate ?? null };
      await host.start(async (context) => (await import('../commands/approvals.js')).showApproval(context, body), {
        ...options,
        ownsStop: false,
      });
    });
  sending(approvals, 'decide', 'decide a gate: exactly one of the three')
    .argument('<run>', 'any part of an id that no other run has')
    .argument('[gate]', 'the gate (default: the open one)')
    .option('--approve', 'the run goes on', false)
    .option('--reject', 'the run ends blocked', false)
    .option('--request-changes <text>', 'the work is done again with this text, then the gate opens again')
    .option('-m, --note <text>', 'why; it is kept with the decision')
    .option('--commit <sha>', 'the commit that the decision is about (default: the one that the gate shows)')
    .action(async (run, gate, options) => {
      const body = { ...options, run, gate: gate ?? null };
      await host.start(async (context) => (await import('../commands/approvals.js')).decideApproval(context, body), {
        ...options,
        ownsStop: true,
      });
    });
}

const SHOWN = { needsPerson: 'the run has no such gate', detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP' };
