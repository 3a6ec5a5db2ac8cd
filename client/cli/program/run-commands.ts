/** The commands that start runs, and the one that makes a repository ready for them. Texts only: bodies lie in commands/. */
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { type FlagOptions, RUN_FLAGS, type RunFlag } from '../../../config/keys/run-flags.js';
import { type CommandRow, LOOKING, RUNNING, row } from './command-row.js';

export const RUN_COMMANDS: readonly CommandRow[] = [
  row('demo', {
    about: 'fix two real bugs of a real package before your eyes; no key needed',
    exits: RUNNING,
    ownsStop: true,
    takes: (command) =>
      command
        .option('--withhold-fix', 'the agent repairs only one bug: validation is red and the run ends blocked', false)
        .option('--land', 'go on: land what was made, and two branches that conflict', false)
        .option('--web', 'with the page: its gate is decided in your browser', false)
        .option('--backlog', 'instead: four tasks of a backlog, taken by one command in the end', false)
        .option('--skep', 'instead: tasks that are compared, judged and planned first', false),
    body: async ({ context, options: { backlog, skep, ...options } }) =>
      backlog
        ? (await import('../commands/demo-backlog.js')).demoBacklog(context)
        : skep
          ? (await import('../commands/demo-skep.js')).demoSkep(context)
          : (await import('../commands/demo.js')).demo(context, options),
  }),
  row('init', {
    about: 'write a minimal .sluice/config.yaml, trust it and serve this repository',
    exits: LOOKING,
    takesProgram: true,
    takes: (command) =>
      command
        .option('--agent <name>', '"command" keeps the program behind "--" as the agent')
        .usage('[options] [-- <program> [args...]]'),
    body: async ({ context, options, behindDashes }) =>
      (await import('../commands/init.js')).init(context, { ...options, program: behindDashes }),
  }),
  row('run', {
    about: 'start a run and watch it; Ctrl+C detaches and the run goes on',
    exits: RUNNING,
    ownsStop: true,
    takesProgram: true,
    takes: (command) =>
      addFlags(command.argument('[task]', 'what to do; "-" or no task reads it from standard input'))
        .option('--base <branch>', 'the branch or commit to start from (default: what is checked out)')
        .option('--title <text>', "one line for lists (default: the task's first line)")
        .option('--run-id <id>', 'an id of your own')
        .option('--repo <path>', 'the repository (default: where you are)')
        .option('--host <id>', 'the host that does the work (default: this one)')
        .option('--local', 'use the local engine whatever TEMPORAL_ADDRESS says', false)
        .option('--detach', 'start it and return', false)
        .usage('[options] "<task>" [-- <program> [args...]]'),
    body: async ({ context, args: [task], options, behindDashes }) =>
      (await import('../commands/run.js')).run(context, { ...options, task, program: behindDashes }),
  }),
];

export function addFlags<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  for (const [name, flag] of Object.entries<RunFlag>(RUN_FLAGS)) {
    if (flag.kind === 'switch') command.option(`--${name}`, flag.about, false);
    else if (flag.kind === 'one') command.option(`--${name} ${flag.value}`, flag.about);
    else command.option(`--${name} ${flag.value}`, flag.about, collect, []);
  }
  // Each row added the option of its name.
  return command as Command<Args, Options & FlagOptions>;
}

/** Of an option that may be given more than once. */
export function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
