import { describe, expect, it } from '@jest/globals';
import { startGit } from '../../../activities/git/runner/start-git.js';
import { findGitProgram } from '../../../activities/git/start/git-program.js';
import { isHostTrouble, isRepositoryBusy } from '../../../activities/git/start/repository-busy.js';
import { GitError, runGit } from '../../../activities/git/start/run-git.js';

const error = (stderr: string) => new GitError(['x'], { exitCode: 128, stdout: '', stderr });

describe('what git says', () => {
  it.each([
    'error: unable to create temporary file: No space left on device',
    'fatal: write error: Disk quota exceeded\n',
    'fatal: cannot pread pack file: Input/output error',
    'error: cannot mkstemp x: Read-only file system\nfatal: more',
    'fatal: Out of memory, malloc failed (tried to allocate 10 bytes)',
    'fatal: mmap failed: Cannot allocate memory',
    'error: open("x"): Too many open files',
    'error: cannot fork to run x',
    'fatal: unable to create thread: Resource temporarily unavailable',
    "error: unable to write file a.txt\nfatal: Could not reset index file to revision 'aba6c14'.",
    "fatal: cannot update ref 'refs/heads/x': couldn't write '/r/.git/refs/heads/x.lock'",
    'fatal: Unable to write new index file',
    'fatal: Could not write new index file.',
  ])('is trouble of the host: %s', (stderr) => {
    expect(isHostTrouble(error(stderr))).toBe(true);
  });

  it.each([
    'fatal: unable to read 0123456789012345678901234567890123456789',
    "error: 'No space left on device/' is a directory",
    'fatal: Unable to write to the log: unable to write file x, it said',
    'warning: failed to remove x: Permission denied',
  ])('is no trouble of the host and nobody else at work: %s', (stderr) => {
    expect(isHostTrouble(error(stderr))).toBe(false);
    expect(isRepositoryBusy(error(stderr))).toBe(false);
  });

  it('is cut to 2 KiB in an error, whose end keeps the last line', async () => {
    const failed = error(`first\n${'x'.repeat(100_000)}\nfatal: last`);
    const noisy = new GitError(
      Array.from({ length: 500 }, () => '-e'),
      { exitCode: 1, stdout: 'y'.repeat(100_000), stderr: '' },
    );

    expect(failed.message.length).toBeLessThan(2_500);
    expect(failed.result.stderr).toMatch(/^first[^]*fatal: last$/);
    expect(noisy.message.length).toBeLessThan(500);
    expect(noisy.result.stdout.length).toBeLessThanOrEqual(2_048);
    await expect(
      runGit(['-c', `alias.flood=!head -c 100000 /dev/zero | tr '\\0' z >&2; exit 3`, 'flood'], {}),
    ).rejects.toHaveProperty('message', expect.stringMatching(/^[^]{0,2500}$/));
  });

  it('is cut also where a signal ends git', async () => {
    const flood = "alias.flood=!head -c 100000 /dev/zero | tr '\\0' z >&2; kill -9 $PPID; sleep 1";

    await expect(
      startGit({
        program: findGitProgram().program,
        args: ['-c', flood, 'flood'],
        env: { PATH: findGitProgram().path },
      }),
    ).rejects.toHaveProperty('message', expect.stringMatching(/^Command failed[^]{0,2000}$/));
  });
});
