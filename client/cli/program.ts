/**
 * The commands, their arguments and their help. Only commander is loaded here; each command's own module is loaded when it runs,
 * so that help costs no more than it must. A command's help names the exit codes that it can return.
 */
import { Command } from '@commander-js/extra-typings';
import type { Context } from './context.js';
import { type ExitCode, type ExitName, exitHelp } from './exit-codes.js';

export type CommandBody = (context: Context) => Promise<ExitCode>;

export interface ProgramHost {
  /** Runs a command's body. `ownsStop`: it handles Ctrl+C itself. */
  start(body: CommandBody, options: { readonly json: boolean; readonly ownsStop: boolean }): Promise<void>;
  out(text: string): void;
  err(text: string): void;
  /** What stood behind `--`. */
  readonly behindDashes: readonly string[];
}

const LOOKING: readonly ExitName[] = ['done', 'notStarted', 'detached'];
const INTERRUPTED = { detached: 'interrupted by Ctrl+C, SIGTERM or SIGHUP' };
const RUNNING: readonly ExitName[] = ['done', 'notStarted', 'failed', 'needsPerson', 'detached'];
const RUN_HELP = '[run] is any part of an id that no other run has, or nothing when only one can be meant';

export function createProgram(host: ProgramHost) {
  const program = new Command('sluice')
    .description('Takes a coding task from a sentence to a merged change; every run is a durable Temporal workflow.')
    .version('0.1.0')
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: (text) => host.out(text.trimEnd()), writeErr: (text) => host.err(text.trimEnd()) })
    .exitOverride();
  for (const add of [addRunCommands, addLookCommands, addEngineCommands, addConfigCommands]) add(program as Command, host);
  return program.addHelpText('after', exitHelp(RUNNING));
}

function addRunCommands(program: Command, host: ProgramHost): void {
  command(program, 'demo', { about: 'fix two real bugs of a real package before your eyes; no key needed', exits: RUNNING })
    .option('--withhold-fix', 'the agent repairs only one bug: validation is red and the run ends blocked', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/demo.js')).demo(context, options), { ...options, ownsStop: true });
    });
  command(program, 'init', { about: 'write a minimal .sluice/config.yaml, trust it and serve this repository', exits: LOOKING })
    .option('--agent <name>', '"command" keeps the program behind "--" as the agent')
    .usage('[options] [-- <program> [args...]]')
    .action(async (options) => {
      const { behindDashes } = host;
      await host.start(async (context) => (await import('./commands/init.js')).init(context, { ...options, program: behindDashes }), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'run', { about: 'start a run and watch it; Ctrl+C detaches and the run goes on', exits: RUNNING })
    .argument('[task]', 'what to do; "-" or no task reads it from standard input')
    .option('--agent <name>', 'an agent of the config; "command" takes the program behind "--"')
    .option('--preset <name>', 'the policy to start from')
    .option('--stages <list>', 'full, express or plan-only')
    .option('--base <branch>', 'the branch or commit to start from (default: what is checked out)')
    .option('--title <text>', "one line for lists (default: the task's first line)")
    .option('--run-id <id>', 'an id of your own')
    .option('--repo <path>', 'the repository (default: where you are)')
    .option('--host <id>', 'the host that does the work (default: this one)')
    .option('--local', 'use the local engine whatever TEMPORAL_ADDRESS says', false)
    .option('--detach', 'start it and return', false)
    .usage('[options] "<task>" [-- <program> [args...]]')
    .action(async (task, options) => {
      const { behindDashes } = host;
      await host.start(async (context) => (await import('./commands/run.js')).run(context, { ...options, task, program: behindDashes }), {
        ...options,
        ownsStop: true,
      });
    });
}

function addLookCommands(program: Command, host: ProgramHost): void {
  command(program, 'list', { about: 'the runs: what works, what waits, what came out', exits: LOOKING })
    .option('--limit <n>', 'how many at most', '50')
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/list.js')).list(context, options), { ...options, ownsStop: false });
    });
  command(program, 'status', { about: 'one run in full', exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('./commands/status.js')).status(context, run ?? null), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'watch', { about: 'a run live until it closes; Ctrl+C detaches', exits: RUNNING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('./commands/watch.js')).watch(context, run ?? null), {
        ...options,
        ownsStop: true,
      });
    });
  command(program, 'logs', { about: "a run's journal, or the output of one turn", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .option('-f, --follow', 'go on until the run closes', false)
    .option('--turn <n>', 'the agent output of turn n')
    .action(async (run, options) => {
      await host.start(async (context) => (await import('./commands/logs.js')).logs(context, { ...options, asked: run ?? null }), {
        ...options,
        ownsStop: true,
      });
    });
  command(program, 'diff', { about: "a run's change as a patch", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .option('--stat', 'only the numbers', false)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('./commands/diff.js')).diff(context, { ...options, asked: run ?? null }), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'path', { about: "the path of a run's worktree", exits: LOOKING })
    .argument('[run]', RUN_HELP)
    .action(async (run, options) => {
      await host.start(async (context) => (await import('./commands/path.js')).path(context, run ?? null), { ...options, ownsStop: false });
    });
}

function addEngineCommands(program: Command, host: ProgramHost): void {
  command(program, 'up', { about: 'start the local engine and say how to reach it', exits: LOOKING })
    .option('--ui', "also serve Temporal's Web UI", false)
    .option('--restart', 'a new worker process; running turns go on', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/up.js')).up(context, options), { ...options, ownsStop: false });
    });
  command(program, 'down', { about: 'stop the local engine when no turn runs any more', exits: LOOKING })
    .option('--now', 'end running turns instead of waiting for them', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/down.js')).down(context, options), { ...options, ownsStop: false });
    });
  command(program, 'worker', {
    about: 'a worker in the foreground for the server of TEMPORAL_ADDRESS',
    exits: LOOKING,
    special: {
      detached: 'stopped by Ctrl+C, SIGTERM or SIGHUP; running turns go on',
    },
  })
    .option('--repo <path...>', 'also serve the repository at this path')
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/worker.js')).worker(context, options), { ...options, ownsStop: true });
    });
  command(program, 'doctor', {
    about: 'look at everything that a run needs',
    exits: LOOKING,
    special: {
      ...INTERRUPTED,
      notStarted: 'something that a run needs is missing',
    },
  }).action(async (options) => {
    await host.start(async (context) => (await import('./commands/doctor.js')).doctor(context), { ...options, ownsStop: false });
  });
}

function addConfigCommands(program: Command, host: ProgramHost): void {
  command(program, 'config', { about: 'every effective value and where it comes from', exits: LOOKING })
    .option('--repo <path>', 'the repository (default: where you are)')
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/config.js')).config(context, options), { ...options, ownsStop: false });
    });
  command(program, 'trust', { about: "let this repository's config run programs on this machine", exits: LOOKING })
    .option('--list', 'what is trusted', false)
    .option('--revoke', 'take the trust back', false)
    .option('--repo <path>', 'the repository (default: where you are)')
    .action(async (options) => {
      await host.start(async (context) => (await import('./commands/trust.js')).trust(context, options), { ...options, ownsStop: false });
    });
  command(program, 'states', { about: 'the statuses of a run and their legal moves', exits: ['done'] }).action(async (options) => {
    await host.start(async (context) => (await import('./commands/states.js')).states(context), { ...options, ownsStop: false });
  });
}

interface CommandText {
  readonly about: string;
  readonly exits: readonly ExitName[];
  /** Replaces the general meaning of a code. */
  readonly special?: Partial<Record<ExitName, string>>;
}

/** Every command has --json and names its exit codes. */
function command(parent: Command, name: string, { about, exits, special = exits === LOOKING ? INTERRUPTED : {} }: CommandText) {
  return parent
    .command(name)
    .description(about)
    .option('--json', 'one JSON object a line; docs/cli.md describes them', false)
    .addHelpText('after', exitHelp(exits, special));
}
