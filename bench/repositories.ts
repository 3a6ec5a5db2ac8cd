/**
 * The git repositories of the bench, each with the bench's trusted config and on the host's list. A small one is the subject of most figures: git's own time for a
 * worktree is a baseline. A large one is made by `git fast-import`, since a commit of 100 000 files by `git add` takes longer than what is measured in it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository, repoKeyOf } from '../activities/git/refs/find-repository.js';
import { homePaths } from '../config/home/home.js';
import { readOrMakeHostId } from '../config/home/host-id.js';
import { addRepository } from '../config/home/host-list.js';
import { trustConfig } from '../config/home/trust.js';

const CONFIG_FILE = '.sluice/config.yaml';
const FOLDERS = 20;
const FILES_A_FOLDER = 10;
const LARGE_FILES_A_FOLDER = 100;

export interface RepositoryOwner {
  readonly home: string;
  /** YAML that every repository of the bench has. */
  readonly configText: string;
}

/** 200 small files at `path`, which does not exist. */
export async function makeSmallRepository(owner: RepositoryOwner, path: string): Promise<string> {
  const git = begin(path);
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(path, `part-${folder}`));
    for (let file = 0; file < FILES_A_FOLDER; file += 1) {
      writeFileSync(join(path, `part-${folder}/file-${file}.txt`), `line ${file} of part ${folder}\n`.repeat(40));
    }
  }
  mkdirSync(join(path, '.sluice'));
  writeFileSync(join(path, CONFIG_FILE), owner.configText);
  git(['add', '-A']);
  git(['commit', '-q', '-m', 'first']);
  return serve(owner, path);
}

/** `files` files of one line each, all in the checkout. */
export async function makeLargeRepository(owner: RepositoryOwner, path: string, files: number): Promise<string> {
  const git = begin(path);
  const contents = Array.from({ length: files }, (_, n) =>
    fileLine(`part-${Math.floor(n / LARGE_FILES_A_FOLDER)}/file-${n}.txt`, `line of file ${n}\n`),
  );
  const head = 'commit refs/heads/main\ncommitter Bench <bench@example.invalid> 0 +0000\ndata 5\nfirst\n';
  git(['fast-import', '--quiet'], `${head}${fileLine(CONFIG_FILE, owner.configText)}${contents.join('')}\n`);
  git(['reset', '-q', '--hard', 'main']);
  return serve(owner, path);
}

/**
 * A small one in which `kept` runs left branch, kept head and worktree, without files, where the engine has those of its runs. Written as git would have them (gitrepository-layout.txt): `git worktree add` looks
 * at all that are there, so that two thousand took minutes.
 */
export async function makeRepositoryWithKept(owner: RepositoryOwner, path: string, kept: number): Promise<string> {
  await makeSmallRepository(owner, path);
  const names = Array.from({ length: kept }, (_, n) => `kept-${n}`);
  const refs = names.flatMap((name) => [`refs/heads/sluice/${name}`, `refs/sluice/${name}/head`]);
  const input = refs.map((ref) => `create ${ref} main\n`).join('');
  execFileSync('git', ['update-ref', '--stdin'], { cwd: path, input });
  const { commonDir } = await findRepository(path);
  const repoKey = repoKeyOf(readOrMakeHostId(owner.home), commonDir);
  for (const name of names) {
    const worktree = homePaths(owner.home).worktree(repoKey, name);
    const adminDir = join(path, '.git/worktrees', name);
    for (const folder of [worktree, adminDir]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(worktree, '.git'), `gitdir: ${adminDir}\n`);
    writeFileSync(join(adminDir, 'gitdir'), `${worktree}/.git\n`);
    writeFileSync(join(adminDir, 'commondir'), '../..\n');
    writeFileSync(join(adminDir, 'HEAD'), `ref: refs/heads/sluice/${name}\n`);
  }
  return path;
}

function fileLine(path: string, content: string): string {
  return `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
}

function begin(path: string): (args: readonly string[], input?: string) => void {
  mkdirSync(path);
  const git = (args: readonly string[], input = '') => {
    execFileSync('git', [...args], { cwd: path, input, stdio: ['pipe', 'ignore', 'inherit'] });
  };
  git(['init', '-q', '-b', 'main']);
  git(['config', 'user.name', 'Bench']);
  git(['config', 'user.email', 'bench@example.invalid']);
  return git;
}

async function serve({ home, configText }: RepositoryOwner, path: string): Promise<string> {
  await addRepository(home, path);
  await trustConfig(home, path, configText);
  return path;
}
