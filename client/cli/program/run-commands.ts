/** The commands that start runs, and the one that makes a repository ready for them. Texts only: bodies lie in commands/. */
import type { Command } from '@commander-js/extra-typings';
import { command, LOOKING, type ProgramHost, RUNNING } from './command-builder.js';

export function addRunCommands(program: Command, host: ProgramHost): void {
  command(program, 'demo', { about: 'fix two real bugs of a real package before your eyes; no key needed', exits: RUNNING })
    .option('--withhold-fix', 'the agent repairs only one bug: validation is red and the run ends blocked', false)
    .action(async (options) => {
      await host.start(async (context) => (await import('../commands/demo.js')).demo(context, options), { ...options, ownsStop: true });
    });
  command(program, 'init', { about: 'write a minimal .sluice/config.yaml, trust it and serve this repository', exits: LOOKING })
    .option('--agent <name>', '"command" keeps the program behind "--" as the agent')
    .usage('[options] [-- <program> [args...]]')
    .action(async (options) => {
      const { behindDashes } = host;
      await host.start(async (context) => (await import('../commands/init.js')).init(context, { ...options, program: behindDashes }), {
        ...options,
        ownsStop: false,
      });
    });
  command(program, 'run', { about: 'start a run and watch it; Ctrl+C detaches and the run goes on', exits: RUNNING })
    .argument('[task]', 'what to do; "-" or no task reads it from standard input')
    .option('--agent <name>', 'an agent of the config; "command" takes the program behind "--"')
    .option('--preset <name>', 'the policy to start from')
    .option('--stages <list>', 'full, express or plan-only')
    .option('--rounds <n>', 'how often the run may enter fixing, 0 to 20')
    .option(
      '--gate <stage>',
      'wait for a person before this stage; may be said more than once',
      (stage: string, before: readonly string[]) => [...before, stage],
      [] as readonly string[],
    )
    .option('--hold', 'wait for a person before the run ends', false)
    .option('--permissions <mode>', 'what an agent may do: read-only, ask, accept-edits or auto')
    .option('--unattended', 'nobody will answer: gates expire as the policy says', false)
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
      await host.start(async (context) => (await import('../commands/run.js')).run(context, { ...options, task, program: behindDashes }), {
        ...options,
        ownsStop: true,
      });
    });
}
