/** The commands that look at runs. Texts only: bodies lie in commands/. */
import { RUN_PARTS } from '../../look/part-names.js';
import { type CommandRow, INTERRUPTED, LOOKING, RUN_HELP, RUNNING, row, WATCHED_RUN_HELP } from './command-row.js';

export const LOOK_COMMANDS: readonly CommandRow[] = [
  row('list', {
    about: 'the runs: what works, what waits, what came out',
    exits: LOOKING,
    takes: (command) =>
      command
        .option('--limit <n>', 'how many at most', '50')
        .option('--all', 'of every repository (default: of the one that you stand in)', false)
        .option('--open', 'only those that are open, or whose head lands', false)
        .option('--since <when>', 'only those that changed since: 2h, 7d, 2026-11-01')
        .option('--waiting', 'only those that wait for a person: at a gate, with a question, or paused', false),
    body: async ({ context, options }) => (await import('../commands/list.js')).list(context, options),
  }),
  row('status', {
    about: 'one run in full',
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/status.js')).status(context, run),
  }),
  row('watch', {
    about: 'a run live until it closes, or all open ones; Ctrl+C detaches',
    exits: RUNNING,
    ownsStop: true,
    takes: (command) => command.argument('[run]', WATCHED_RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/watch.js')).watch(context, run),
  }),
  row('logs', {
    about: "a run's journal, or the output of one turn",
    exits: LOOKING,
    special: { detached: `${INTERRUPTED.detached}, or with -f the server stayed away` },
    ownsStop: true,
    takes: (command) =>
      command
        .argument('[run]', RUN_HELP)
        .option('-f, --follow', 'go on until the run, or the turn, has ended', false)
        .option('--turn <n>', 'the agent output of turn n'),
    body: async ({ context, args: [asked = null], options }) =>
      (await import('../commands/logs.js')).logs(context, { ...options, asked }),
  }),
  row('diff', {
    about: "a run's change as a patch",
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP).option('--stat', 'only the numbers', false),
    body: async ({ context, args: [asked = null], options }) =>
      (await import('../commands/diff.js')).diff(context, { ...options, asked }),
  }),
  row('show', {
    about: 'one part of what a run left: its plan, review, red checks, a prompt, its report',
    exits: LOOKING,
    takes: (command) =>
      command
        .usage('[options] [run] <part>')
        .argument('<words...>', `a part: ${RUN_PARTS.join(', ')}; before it, ${RUN_HELP}`)
        .option('--stage <stage>', 'of the last turn of this stage: for prompt and output')
        .option('--round <n>', 'of this round; 0 is before the first fix (default: the last)'),
    body: async ({ context, args: [words], options }) =>
      (await import('../commands/show.js')).show(context, { ...options, words }),
  }),
  row('report', {
    about:
      'a run as one HTML file: outcome, timeline, cost, gates, checks, findings, changes; it runs nothing and asks nobody',
    exits: LOOKING,
    takes: (command) =>
      command
        .argument('[run]', RUN_HELP)
        .option('--out <file>', 'where to; - prints it (default: <run id>.html in the current folder)'),
    body: async ({ context, args: [asked = null], options }) =>
      (await import('../commands/report.js')).report(context, { ...options, asked }),
  }),
  row('path', {
    about: "the path of a run's worktree",
    exits: LOOKING,
    takes: (command) => command.argument('[run]', RUN_HELP),
    body: async ({ context, args: [run = null] }) => (await import('../commands/path.js')).path(context, run),
  }),
  row('open', {
    about: "a run's worktree in your editor ($VISUAL), or its report in your browser ($BROWSER)",
    exits: LOOKING,
    takes: (command) =>
      command
        .argument('[run]', RUN_HELP)
        .option('--file <path>', 'this file of the worktree')
        .option('--report', 'the report', false),
    body: async ({ context, args: [asked = null], options }) =>
      (await import('../commands/open.js')).open(context, { ...options, asked }),
  }),
];
