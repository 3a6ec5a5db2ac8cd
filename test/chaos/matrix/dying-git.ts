/** A folder with a `git` for the front of PATH: called by a host it dies now and then before, during or after the real one; for everybody else it is the real one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface DyingGit {
  /** PATH with the folder in front. */
  readonly path: string;
  /** How often it died so far. */
  deaths(): Readonly<Record<'before' | 'during' | 'after', number>>;
  close(): void;
}

/** Dies at one of so many calls each way. A run makes some sixty. */
const ONE_OF = 180;

export function makeDyingGit(): DyingGit {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-dying-git-'));
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const log = join(folder, 'deaths.log');
  // Only a host asks git never to prompt; the person's own git and an agent's live.
  const script = `#!/bin/sh
[ "$GIT_TERMINAL_PROMPT" = 0 ] || exec '${real}' "$@"
n=$(($(od -An -N2 -tu2 /dev/urandom) % ${ONE_OF}))
case $n in
0) echo before >> '${log}'; kill -9 $$ ;;
1) exec 3<&0; '${real}' "$@" <&3 & child=$!; sleep 0.00$(($(od -An -N1 -tu1 /dev/urandom) % 10)); echo during >> '${log}'; kill -9 $child; kill -9 $$ ;;
2) '${real}' "$@"; echo after >> '${log}'; kill -9 $$ ;;
esac
exec '${real}' "$@"
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return {
    path: `${folder}:${process.env['PATH'] ?? ''}`,
    deaths() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
      const count = (how: string) => lines.filter((line) => line === how).length;
      return { before: count('before'), during: count('during'), after: count('after') };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
