/** How the help orders the commands: by what a person wants of them. The first words of their names, in the order of the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly string[];
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Start', commands: ['demo', 'init', 'import', 'run', 'batch', 'rewind', 'task', 'backlog'] },
  {
    title: 'Watch',
    commands: [
      'web',
      'list',
      'tasks',
      'queue',
      'status',
      'watch',
      'logs',
      'diff',
      'show',
      'report',
      'path',
      'open',
      'replay',
      'audit',
      'policies',
      'budget',
    ],
  },
  {
    title: 'Decide',
    commands: ['approvals', 'approve', 'reject', 'answer', 'steer', 'rename', 'pause', 'resume', 'abort', 'quota'],
  },
  { title: 'Finish', commands: ['land', 'landings', 'clean'] },
  { title: 'Engine', commands: ['up', 'down', 'worker', 'doctor', 'config', 'trust', 'completion', 'states'] },
];

/** What the commands of one first word are about. */
export const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['import', 'a config made of that of another system: skep'],
  [
    'task',
    'tasks that run when their turn comes: create, list, show, approve, reject, run, reopen, stop, pause, resume, set, done, delete',
  ],
  ['backlog', 'the queue of those tasks: status, pause, resume, stop, set'],
  ['approvals', 'the gates of runs: list, show, decide'],
  ['landings', 'heads on their way to a base: list, drop, pause, resume'],
  ['quota', 'usage limits that runs wait for: list, open'],
]);
