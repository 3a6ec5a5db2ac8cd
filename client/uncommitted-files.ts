/**
 * Files of a checkout that no commit has, for whoever is about to start from its commit. Git gets a directory of its own, with the index of the
 * checkout: an agent can write the live config and attributes, whose filters git would start to compare a file.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownGitDir } from '../config/home/own-git-dir.js';
import { bytesOf, readForeignFile } from '../config/system/foreign-file.js';
import { runGit } from './run-git.js';

/** Settings that say when a file counts as changed or ignored. None names a program. */
const HOW_TO_COMPARE =
  '^(core\\.(filemode|autocrlf|eol|ignorecase|symlinks|precomposeunicode|excludesfile)|extensions\\.objectformat)$';

/** Unit: bytes of names. Whoever has more knows. */
const MAX_NAMES_BYTES = 1024 * 1024;

/** Unit: bytes. */
const MAX_EXCLUDE_BYTES = 1024 * 1024;

/** Unit: ms. A note is not worth a longer wait. */
const LIMIT_MS = 2_000;

/** Names as git knows them; null where git does not tell, or not in time. `head` is the commit that is checked out. Errors: no room for a folder of its own. */
export async function uncommittedFiles(root: string, head: string): Promise<readonly string[] | null> {
  const live = ownGitDir(root);
  const look = { cwd: root, limitMs: LIMIT_MS };
  const [common, config] = await Promise.all([
    runGit(['rev-parse', '--path-format=absolute', '--git-common-dir'], look),
    runGit(['config', '--null', '--type=path', '--get-regexp', HOW_TO_COMPARE], look),
  ]);
  if (live === null || common.kind !== 'ok') return null;
  const commonDir = common.stdout.replace(/\n$/, '');
  const gitDir = await mkdtemp(join(tmpdir(), 'sluice-look-'));
  try {
    await makeGitDir(gitDir, { head, exclude: join(commonDir, 'info', 'exclude') });
    const status = await runGit(
      [...settingsIn(config.kind === 'ok' ? config.stdout : ''), `--work-tree=${root}`, ...STATUS],
      {
        ...look,
        gitDir,
        env: {
          ...whereGitIgnores(),
          GIT_INDEX_FILE: join(live, 'index'),
          GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
        },
        maxBytes: MAX_NAMES_BYTES,
      },
    );
    return status.kind === 'ok' ? namesIn(status.stdout) : null;
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

/** Below them lie the person's own ignored names, where no config says otherwise. */
function whereGitIgnores(): Record<string, string> {
  const names = ['HOME', 'XDG_CONFIG_HOME'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

const STATUS = [
  'status',
  '--porcelain=v1',
  '-z',
  '--untracked-files=normal',
  '--no-renames',
  '--ignore-submodules=all',
  '--',
  ':/',
  // What of the engine lies there is told by others.
  ':(exclude,top).sluice',
];

/** As much as git needs to take it for a repository. */
async function makeGitDir(gitDir: string, { head, exclude }: { head: string; exclude: string }): Promise<void> {
  await Promise.all(['refs', 'info'].map((name) => mkdir(join(gitDir, name))));
  const patterns = bytesOf(await readForeignFile(exclude, { maxBytes: MAX_EXCLUDE_BYTES }));
  await writeFile(join(gitDir, 'info', 'exclude'), patterns ?? '');
  await writeFile(join(gitDir, 'HEAD'), `${head}\n`);
}

/** Shape: `key\nvalue\0…` to `-c key=value`. */
function settingsIn(listed: string): readonly string[] {
  return listed.split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n');
    return at < 0 ? [] : ['-c', `${entry.slice(0, at)}=${entry.slice(at + 1)}`];
  });
}

/** Shape: `XY name\0…`. */
function namesIn(listed: string): readonly string[] {
  return listed.split('\0').flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));
}
