/** The commands about tasks that wait for their turn. Texts only: bodies lie in commands/task.ts and commands/backlog.ts. */
import { Option } from '@commander-js/extra-typings';
import { STATUS_VIEWS } from '../../../protocol/views/skep-status.js';
import { type CommandRow, INTERRUPTED, LOOKING, row } from './command-row.js';
import { addFlags, collect } from './run-commands.js';

const TASK = 'its number, <project>-<number>, or a part of its title; nothing where only one can be meant';

const SENT = {
  done: 'taken, or queued: the server keeps it until a worker is back',
  notStarted: 'no such task, inside a turn, or server not reachable',
  needsPerson: 'refused: the task is not in a state that takes it',
  ...INTERRUPTED,
};

/** With --json the engine's words stand beside the others. */
function viewOption() {
  const about = "whose words for a state: engine or skep (default: as the preset of the repository's config has it)";
  return new Option('--view <words>', about).choices(STATUS_VIEWS);
}

/** A word about one task. */
function wordRow(name: 'reject' | 'run' | 'stop' | 'pause' | 'resume' | 'done', about: string): CommandRow {
  return row(`task ${name}`, {
    about,
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) => command.argument('[task]', TASK).option('-m, --note <text>', 'why, for whoever looks later'),
    body: async ({ context, args: [asked = null], options: { note } }) =>
      (await import('../commands/task.js')).decideTask(context, { name, asked, note }),
  });
}

function listRow(name: 'task list' | 'tasks'): CommandRow {
  return row(name, {
    about: 'the tasks of this repository, the open ones first',
    exits: LOOKING,
    takes: (command) =>
      command
        .option('--all', 'of every repository', false)
        .option('--open', 'only those that are open', false)
        .addOption(viewOption()),
    body: async ({ context, options }) => (await import('../commands/task.js')).listTasks(context, options),
  });
}

function queueRow(name: 'backlog status' | 'queue'): CommandRow {
  return row(name, {
    about: 'the queue of this repository: what runs, what waits for what',
    exits: LOOKING,
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/backlog.js')).showBacklog(context),
  });
}

/** A word about all of them. */
function steerRow(name: 'pause' | 'resume', about: string): CommandRow {
  return row(`backlog ${name}`, {
    about,
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/backlog.js')).steerBacklog(context, name),
  });
}

export const BACKLOG_COMMANDS: readonly CommandRow[] = [
  row('task create', {
    about: 'hand a task in; it runs when its turn comes',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: {
      done: 'it is in the backlog, or kept until its host is back',
      needsPerson: 'it is there already: a duplicate of another task',
      ...INTERRUPTED,
    },
    ownsStop: true,
    takesProgram: true,
    takes: (command) =>
      addFlags(command.argument('[task]', 'what to do; "-" or no task reads it from standard input'))
        .option('--base <branch>', 'the branch or commit to start from (default: what is checked out)')
        .option('--title <text>', "one line for lists (default: the task's first line)")
        .option('--priority <n>', 'the higher starts first, with backlog.order: priority (default: 0)')
        .option('--needs-approval', 'it starts once a person approves it', false)
        .option('--answer', 'it asks for a document and changes nothing; it is done once that is there', false)
        .option('--after <task>', 'a task that must be done before it; may be given again', collect, [])
        .option('--file <path>', 'a path or glob that it is going to touch; may be given again', collect, [])
        .option('--key <text>', 'sent again under the same key, it is the same task')
        .option('--force', 'take it in even where it is a duplicate of another', false)
        .option('--dry-run', 'only say whether it is a duplicate; nothing is kept', false)
        .option('--repo <path>', 'the repository (default: where you are)')
        .option('--host <id>', 'the host that does the work (default: this one)')
        .option('--local', 'use the local engine whatever TEMPORAL_ADDRESS says', false)
        .usage('[options] "<task>" [-- <program> [args...]]'),
    body: async ({ context, args: [task], options: { file: files, ...options }, behindDashes }) =>
      (await import('../commands/task.js')).createTask(context, { ...options, files, task, program: behindDashes }),
  }),
  listRow('task list'),
  listRow('tasks'),
  row('task show', {
    about: 'one task: its state, why, its run and how it came there',
    exits: LOOKING,
    takes: (command) => command.argument('[task]', TASK).addOption(viewOption()),
    body: async ({ context, args: [asked = null], options: { view } }) =>
      (await import('../commands/show-task.js')).showTask(context, { asked, view }),
  }),
  row('task approve', {
    about: 'let a task start that waits for a word; with a plan, that plan',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .argument('[task]', TASK)
        .option('--plan-again', 'it is judged and planned once more', false)
        .option('--one-step', 'it runs as its text says, without a plan', false)
        .option('-m, --note <text>', 'why, for whoever looks later'),
    body: async ({ context, args: [asked = null], options: { note, planAgain, oneStep } }) => {
      const choice = planAgain ? 'again' : oneStep ? 'one_step' : null;
      return (await import('../commands/task.js')).decideTask(context, { name: 'approve', asked, note, choice });
    },
  }),
  row('task clarify', {
    about: 'answer what is asked about a task: it is judged again with the answers',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .argument('[task]', TASK)
        .option('--answer <text>', 'to each question in turn, or n/a; may be given again', collect, [])
        .option('--file <path>', 'where the answers stand (default: .sluice/clarify/<task>.md of its repository)'),
    body: async ({ context, args: [asked = null], options: { answer: answers, file } }) =>
      (await import('../commands/clarify-task.js')).clarifyTask(context, { asked, answers, file }),
  }),
  wordRow('reject', 'close a task that does not run; nothing of it is done'),
  wordRow('run', 'take a parked task up again: it goes on in its worktree, with all its commits'),
  row('task reopen', {
    about: 'take a closed task in again, under its number: it is judged as before, and one that ran goes on',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .argument('[task]', TASK)
        .option('--force', 'whatever it resembles; a rejection waits for a person then, and closes nothing', false)
        .option('-m, --note <text>', 'why, for whoever looks later'),
    body: async ({ context, args: [asked = null], options: { note, force } }) =>
      (await import('../commands/task.js')).reopenTask(context, { asked, note, force }),
  }),
  wordRow('stop', 'take a task out of the queue, or end its run; it is parked'),
  wordRow('pause', 'a task does not start until it is resumed; one that runs pauses at its next stage'),
  wordRow('resume', 'let a task go on that was paused'),
  row('task set', {
    about: 'say anew how much a task matters, what it waits for and what it touches',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .argument('[task]', TASK)
        .option('--priority <n>', 'the higher starts first, with backlog.order: priority')
        .option('--after <task>', 'a task that must be done before it, or none; may be given again', collect, [])
        .option('--file <path>', 'a path or glob that it is going to touch, or none; may be given again', collect, [])
        .option('-m, --note <text>', 'why, for whoever looks later'),
    body: async ({ context, args: [asked = null], options: { file: files, ...options } }) =>
      (await import('../commands/set-task.js')).setTask(context, { ...options, files, asked }),
  }),
  wordRow('done', 'close a task as done, whatever its state is; its run is ended first'),
  row('task delete', {
    about: 'close a task that does not run; its branch stays',
    exits: ['done', 'notStarted', 'failed', 'needsPerson', 'detached'],
    special: SENT,
    ownsStop: true,
    takes: (command) =>
      command
        .argument('[task]', TASK)
        .option('-m, --note <text>', 'why, for whoever looks later')
        .option('--branch', 'its branch and worktrees too; commits that are not merged are lost', false)
        .option('--yes', 'do not ask', false),
    body: async ({ context, args: [asked = null], options }) =>
      (await import('../commands/delete-task.js')).deleteTask(context, { ...options, asked }),
  }),
  queueRow('backlog status'),
  queueRow('queue'),
  steerRow('pause', 'no task starts any more until it is resumed; what runs goes on'),
  steerRow('resume', 'tasks start again'),
  row('backlog stop', {
    about: 'no task starts any more, and those that run are stopped and parked',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/backlog.js')).steerBacklog(context, 'abort'),
  }),
  row('backlog set', {
    about: 'say for now, beside the config, how many run at once and which is next',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: SENT,
    takes: (command) =>
      command
        .option('--max-concurrent <n>', 'runs at once, 1 to 16')
        .option('--order <order>', 'fifo, priority or fair')
        .option('--conflicts <what>', 'warn or block, where two tasks touch one file')
        .option('--as-configured', 'what is not named is again as the config says', false),
    body: async ({ context, options }) => (await import('../commands/backlog.js')).setBacklog(context, options),
  }),
];
