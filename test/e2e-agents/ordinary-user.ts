/** Root starts the CLIs as an ordinary user: some refuse to work as root, and no safeguard of theirs is switched off here. */
import { execFileSync, spawnSync } from 'node:child_process';

/** `nobody` on Debian; it owns nothing. */
const ORDINARY = '65534';

/** The argv that runs the program as an ordinary user. Errors: plain Error for people where root cannot be dropped. */
export function asOrdinaryUser(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (process.getuid?.() !== 0) return argv;
  if (spawnSync('setpriv', ['--version']).status !== 0)
    throw new Error(
      'setpriv is not on PATH.\nThe CLIs are run as an ordinary user, and you are root.\nNothing was run.\n' +
        'Install it:  apt-get install util-linux   or run this as an ordinary user',
    );
  return ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups', ...argv];
}

/** Effects: the folder and all below it are the ordinary user's. */
export function giveToOrdinaryUser(folder: string): void {
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${ORDINARY}:${ORDINARY}`, folder]);
}
