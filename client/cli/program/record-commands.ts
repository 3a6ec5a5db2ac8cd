/** The commands about what runs left and lists of them: rewind, batch, clean, replay, audit, policies, budget. Texts only. */
import type { Command } from '@commander-js/extra-typings';
import type { ExitName } from '../exit-codes.js';
import { command, LOOKING, type ProgramHost, RUN_HELP, RUNNING } from './command-builder.js';

export function addRecordCommands(program: Command, host: ProgramHost): void {
  addRewind(program, host);
  addBatch(program, host);
  addClean(program, host);
  addRecords(program, host);
  addLimits(program, host);
}

function addRewind(program: Command, host: ProgramHost): void {
  command(program, 'rewind', { about: 'a new run from a stage of a closed one, with its task, policy and code', exits: RUNNING })
    .argument('[run]', 'the closed run; any part of its id, or nothing when only one can be meant')
    .option('--stage <stage>', 'where it starts again (default: where that run ended)')
    .option('--detach', 'start it and return', false)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/rewind.js')).rewind(context, { ...options, run: run ?? null }), {
        ...options,
        ownsStop: true,
      });
    });
}

const BATCH_SPECIAL: Partial<Record<ExitName, string>> = {
  done: 'every task is merge_ready or was run before, or the abort was taken',
  failed: 'a run failed or could not start',
  needsPerson: 'a run is blocked, was aborted or never started; or the file was not taken, since a batch of that name is open',
  detached: 'detached by Ctrl+C, SIGTERM or SIGHUP; the batch goes on',
};

function addBatch(program: Command, host: ProgramHost): void {
  command(program, 'batch', {
    about: 'run the tasks of a file, a few at once; skips what it ran before',
    exits: RUNNING,
    special: BATCH_SPECIAL,
  })
    .argument('[file]', 'JSON lines like {"task":"…"}; "-" is standard input; none: the batch of --name is watched')
    .option('--name <name>', "the batch (default: the file's name)")
    .option('--concurrency <n>', 'runs at once, 1 to 50 (default: 2)')
    .option('--abort', 'end the batch of this name and its runs', false)
    .option('--detach', 'start it and return', false)
    .action(async (file, options) => {
      await host.start(async (context) => (await import('../commands/batch.js')).batch(context, { ...options, file: file ?? null }), {
        ...options,
        ownsStop: true,
      });
    });
}

const CLEANING: readonly ExitName[] = ['done', 'notStarted', 'failed', 'needsPerson', 'detached'];
const CLEAN_SPECIAL: Partial<Record<ExitName, string>> = {
  done: 'removed, or nothing is left to remove',
  notStarted: 'nothing was removed: wrong usage, engine down, or nobody said yes',
  failed: 'a host could not remove what it should',
  needsPerson: 'a named run stays: it is open, or not merged and not given up',
  detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP',
};

function addClean(program: Command, host: ProgramHost): void {
  command(program, 'clean', {
    about: 'remove worktrees and branches of closed runs that are merged',
    exits: CLEANING,
    special: CLEAN_SPECIAL,
  })
    .argument('[run...]', 'these runs (default: those of the repository that one stands in)')
    .option('--all', 'every closed run that is merged, in every repository', false)
    .option('--give-up', 'also named runs that are not merged; their commits are lost', false)
    .option('--yes', 'do not ask', false)
    .option('--dry-run', 'only list', false)
    .action(async (runs, options) => {
      await host.start(async (context) => (await import('../commands/clean.js')).clean(context, { ...options, runs }), {
        ...options,
        ownsStop: true,
      });
    });
}

function addRecords(program: Command, host: ProgramHost): void {
  command(program, 'replay', { about: 'the timeline of a run from its journal', exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/replay.js')).replay(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'audit', { about: 'who decided what about a run; violations and refused messages', exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/audit.js')).audit(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
}

function addLimits(program: Command, host: ProgramHost): void {
  command(program, 'policies', { about: "a run's effective policy", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/policies.js')).policies(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'budget', { about: 'what a run used of its budget, and what is left', exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/budget.js')).budget(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
}
