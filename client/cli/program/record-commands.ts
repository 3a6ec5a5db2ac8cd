/** The commands about what runs left and lists of them: rewind, batch, clean, replay, audit, policies, budget. Texts only. */
import type { ExitName } from '../terminal/exit-codes.js';
import { type CommandRow, INTERRUPTED, LOOKING, RUN_HELP, RUNNING, row } from './command-row.js';

const BATCH_SPECIAL: Partial<Record<ExitName, string>> = {
  done: 'every task is merge_ready or was run before, or the abort was taken',
  failed: 'a run failed or could not start',
  needsPerson:
    'a run is blocked, was aborted or never started; or the file was not taken, since a batch of that name is open',
  detached: 'detached by Ctrl+C, SIGTERM or SIGHUP, or the server stayed away; the batch goes on',
};

const CLEAN_SPECIAL: Partial<Record<ExitName, string>> = {
  ...INTERRUPTED,
  done: 'removed, or nothing is left to remove',
  notStarted: 'nothing was removed: wrong usage, engine down, or nobody said yes',
  failed: 'a host could not remove what it should',
  needsPerson: 'a named run stays: it is open, or not merged and not given up',
};

export const RECORD_COMMANDS: readonly CommandRow[] = [
  row('rewind', {
    about: 'a new run from a stage of a closed one, with its task, policy and code',
    exits: RUNNING,
    ownsStop: true,
    takes: (command) =>
      command
        .argument('[run]', 'the closed run; a part of its id or title, or nothing for the newest here')
        .option('--stage <stage>', 'where it starts again (default: where that run ended)')
        .option('--detach', 'start it and return', false),
    body: async ({ context, args: [run = null], options }) =>
      (await import('../commands/rewind.js')).rewind(context, { ...options, run }),
  }),
  row('batch', {
    about: 'run the tasks of a file, a few at once; skips what it ran before',
    exits: RUNNING,
    special: BATCH_SPECIAL,
    ownsStop: true,
    takesProgram: true,
    takes: (command) =>
      command
        .argument('[file]', 'JSON lines like {"task":"…"}; "-" is standard input; none: the batch of --name is watched')
        .option('--name <name>', "the batch (default: the file's name)")
        .option('--agent <name>', 'of every task that names none; "command" takes the program behind "--"')
        .option('--concurrency <n>', 'runs at once, 1 to 50 (default: 2)')
        .option('--backlog', 'hand them in to the backlog, where they run when their turn comes', false)
        .option('--abort', 'end the batch of this name and its runs', false)
        .option('--detach', 'start it and return', false)
        .usage('[options] [file] [-- <program> [args...]]'),
    body: async ({ context, args: [file = null], options, behindDashes }) =>
      (await import('../commands/batch.js')).batch(context, { ...options, file, program: behindDashes }),
  }),
  row('clean', {
    about: 'remove worktrees and branches of closed runs that are merged',
    exits: ['done', 'notStarted', 'failed', 'needsPerson', 'detached'],
    special: CLEAN_SPECIAL,
    ownsStop: true,
    takes: (command) =>
      command
        .argument('[run...]', 'these runs (default: those of the repository that one stands in)')
        .option('--all', 'every closed run that is merged, in every repository', false)
        .option('--give-up', 'also named runs that are not merged; their commits are lost', false)
        .option('--yes', 'do not ask', false)
        .option('--dry-run', 'only list', false),
    body: async ({ context, args: [runs], options }) =>
      (await import('../commands/clean.js')).clean(context, { ...options, runs }),
  }),
  row('replay', {
    about: 'the timeline of a run from its journal',
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/replay.js')).replay(context, run),
  }),
  row('audit', {
    about: 'who decided what about a run; violations and refused messages',
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/audit.js')).audit(context, run),
  }),
  row('policies', {
    about: "a run's effective policy",
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/policies.js')).policies(context, run),
  }),
  row('budget', {
    about: 'what a run used of its budget, and what is left',
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/budget.js')).budget(context, run),
  }),
];
