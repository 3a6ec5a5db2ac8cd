/** The commands about usage limits. Texts only: bodies lie in commands/quota.ts. */
import { type CommandRow, LOOKING, row } from './command-row.js';

export const QUOTA_COMMANDS: readonly CommandRow[] = [
  row('quota list', {
    about: 'the accounts whose limit is reached, the time left, and who waits',
    exits: LOOKING,
    takes: (command) => command,
    body: async ({ context }) => (await import('../commands/quota.js')).listQuota(context),
  }),
  row('quota open', {
    about: 'a usage limit is over: all runs that wait for it go on',
    exits: ['done', 'notStarted', 'needsPerson', 'detached'],
    special: {
      done: 'opened, or queued: the server keeps it until a worker is back',
      notStarted: 'no such limit is waited for, inside a turn, or server not reachable',
      needsPerson: 'refused by the gate',
    },
    takes: (command) => command.argument('[account]', '<provider>/<account>, or nothing when only one is limited'),
    body: async ({ context, args: [account = null] }) =>
      (await import('../commands/quota.js')).openQuota(context, account),
  }),
];
