/** The commands about usage limits. Texts only: bodies lie in commands/quota.ts. */
import type { Command } from '@commander-js/extra-typings';
import type { ExitName } from '../exit-codes.js';
import { command, INTERRUPTED, LOOKING, type ProgramHost } from './command-builder.js';

const OPENING: readonly ExitName[] = ['done', 'notStarted', 'needsPerson', 'detached'];

export function addQuotaCommands(program: Command, host: ProgramHost): void {
  const quota = program.command('quota').description('usage limits that runs wait for: list, open') as Command;
  command(quota, 'list', { about: 'the accounts whose limit is reached, the time left, and who waits', exits: LOOKING }).action(
    async (options) => {
      await host.start(async (context) => (await import('../commands/quota.js')).listQuota(context), { ...options, ownsStop: false });
    },
  );
  command(quota, 'open', {
    about: 'a usage limit is over: all runs that wait for it go on',
    exits: OPENING,
    special: {
      ...INTERRUPTED,
      done: 'opened, or queued: the server keeps it until a worker is back',
      notStarted: 'no such limit is waited for, inside a turn, or server not reachable',
      needsPerson: 'refused by the gate',
    },
  })
    .argument('[account]', '<provider>/<account>, or nothing when only one is limited')
    .action(async (account, options) => {
      await host.start(async (context) => (await import('../commands/quota.js')).openQuota(context, account ?? null), {
        ...options,
        ownsStop: false,
      });
    });
}
