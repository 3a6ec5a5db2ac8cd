/** The commands that look at runs. Texts only: bodies lie in commands/. */
import type { Command } from '@commander-js/extra-typings';
import { command, LOOKING, type ProgramHost, RUN_HELP, RUNNING } from './command-builder.js';

export function addLookCommands(program: Command, host: ProgramHost): void {
  addStateCommands(program, host);
  addFileCommands(program, host);
}

function addStateCommands(program: Command, host: ProgramHost): void {
  command(program, 'list', { about: 'the runs: what works, what waits, what came out', exits: LOOKING })
    .option('--limit <n>', 'how many at most', '50')
    .option('--waiting', 'only those that wait for a person: at a gate, with a question, or paused', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/list.js')).list(context, options), { ...options, ownsStop: false });
    });
  command(program, 'status', { about: 'one run in full', exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/status.js')).status(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'watch', { about: 'a run live until it closes, or all open ones; Ctrl+C detaches', exits: RUNNING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/watch.js')).watch(context, run ?? null), {
        ...options,
        ownsStop: true,
      });
    });
}

function addFileCommands(program: Command, host: ProgramHost): void {
  command(program, 'logs', { about: "a run's journal, or the output of one turn", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .option('-f, --follow', 'go on until the run closes', false)
    .option('--turn <n>', 'the agent output of turn n')
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/logs.js')).logs(context, { ...options, asked: run ?? null }), {
        ...options,
        ownsStop: true,
      });
    });
  command(program, 'diff', { about: "a run's change as a patch", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .option('--stat', 'only the numbers', false)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/diff.js')).diff(context, { ...options, asked: run ?? null }), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'path', { about: "the path of a run's worktree", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('../commands/path.js')).path(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
}
