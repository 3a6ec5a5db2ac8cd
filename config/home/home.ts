/**
 * Every path of the sluice home, from one root. Source: docs/design.md "Files and journal".
 * Parts of paths that come from outside (run id, repository key, token) are checked here again. Reads and writes nothing
 * but the folders that `ensureHome` makes.
 */
import { accessSync, chmodSync, constants, lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isToken } from '../../protocol/run/place.js';
import { isRepoKey } from '../../protocol/run/repo-key.js';
import { isRunId } from '../../protocol/run/run-id.js';
import { ConfigError, problem } from '../system/config-error.js';
import { messageOf } from '../system/error-code.js';
import { isSpent } from '../system/system-trouble.js';
import { makeFolder } from './make-folder.js';

export interface HomePaths {
  readonly root: string;
  readonly hostId: string;
  readonly trust: string;
  readonly repositories: string;
  readonly commandsDir: string;
  readonly configsDir: string;
  readonly worktreesDir: string;
  readonly stateRoot: string;
  readonly treesRoot: string;
  /** Of the items of one repository, each by its number. */
  itemsDir(repoKey: string): string;
  /** Of checkouts of one repository that asks left to the next ask. */
  treesDir(repoKey: string): string;
  worktree(repoKey: string, runId: string): string;
  validationWorktree(repoKey: string, runId: string): string;
  stateDir(repoKey: string, runId: string): string;
  turnDir(repoKey: string, runId: string, place: { readonly seq: number; readonly token: string }): string;
}

/** `SLUICE_HOME`, or `~/.sluice`. */
export function homeRoot(env: NodeJS.ProcessEnv): string {
  const named = env['SLUICE_HOME'];
  return named === undefined || named === '' ? join(env['HOME'] || homedir(), '.sluice') : resolve(named);
}

/** `~/.config/sluice/config.yaml`; `XDG_CONFIG_HOME` moves it. */
export function userConfigPath(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CONFIG_HOME'];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] || homedir(), '.config');
  return join(base, 'sluice', 'config.yaml');
}

/** The project's file, relative to the repository. */
export const PROJECT_CONFIG = '.sluice/config.yaml';

export function homePaths(root: string): HomePaths {
  const worktree = (repoKey: string, runId: string) => join(root, 'worktrees', repoPart(repoKey), runPart(runId));
  const stateDir = (repoKey: string, runId: string) => join(root, 'state', repoPart(repoKey), runPart(runId));
  return {
    root,
    hostId: join(root, 'host-id'),
    trust: join(root, 'trust.json'),
    repositories: join(root, 'repositories.json'),
    commandsDir: join(root, 'commands'),
    configsDir: join(root, 'configs'),
    worktreesDir: join(root, 'worktrees'),
    stateRoot: join(root, 'state'),
    treesRoot: join(root, 'trees'),
    itemsDir: (repoKey) => join(root, 'items', repoPart(repoKey)),
    treesDir: (repoKey) => join(root, 'trees', repoPart(repoKey)),
    worktree,
    // No run id has a plus sign, and so no run has this folder for its worktree.
    validationWorktree: (repoKey, runId) => `${worktree(repoKey, runId)}+validation`,
    stateDir,
    turnDir: (repoKey, runId, place) => placeDir(stateDir(repoKey, runId), place),
  };
}

/** Of one piece of work in the folder of whose it is. */
export function placeDir(stateDir: string, { seq, token }: { readonly seq: number; readonly token: string }): string {
  return join(stateDir, 'turns', turnPart(seq, token));
}

/**
 * Makes the home and its folders, 0700. **Errors** ConfigError where it cannot be written, is no folder or belongs to somebody else; the system's own where the machine has run out of something. **Idempotency** does nothing where all is there.
 */
export function ensureHome(root: string): HomePaths {
  const paths = homePaths(root);
  ensurePrivateFolder(root, root);
  for (const folder of [paths.commandsDir, paths.configsDir, paths.worktreesDir, paths.stateRoot])
    ensurePrivateFolder(folder, root);
  return paths;
}

function ensurePrivateFolder(folder: string, root: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    if (isSpent(error)) throw error;
    throw homeError(root, `cannot make ${folder}: ${messageOf(error)}`, 'must be a folder that you can write in');
  }
  // The person may keep the home elsewhere and link to it; below it a link would be somebody else's choice.
  const stat = folder === root ? statSync(folder) : lstatSync(folder);
  if (!stat.isDirectory()) throw homeError(root, `${folder} is not a folder`, 'must be a folder, not a link');
  const owner = process.getuid?.();
  if (owner !== undefined && stat.uid !== owner) {
    throw homeError(
      root,
      `${folder} belongs to user ${stat.uid}, you are ${owner}`,
      'must be yours: it holds what sluice may start',
    );
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isSpent(error)) throw error;
    throw homeError(root, `${folder} cannot be written`, 'must be a folder that you can write in');
  }
}

function homeError(root: string, found: string, rule: string): ConfigError {
  const mend = 'Choose another:  export SLUICE_HOME=<folder>';
  return new ConfigError([problem('BadConfig', `sluice home ${root}`, { key: 'SLUICE_HOME', found, rule, mend })]);
}

function repoPart(repoKey: string): string {
  if (!isRepoKey(repoKey)) throw new Error(`not a repository key: ${repoKey}`);
  return repoKey;
}

/** A run id; or, for what belongs to no run, an `@` and hex digits, which no run id begins with. */
function runPart(name: string): string {
  if (!isRunId(name) && !/^@[0-9a-f]{8,64}$/.test(name)) throw new Error(`not a run id: ${name}`);
  return name;
}

function turnPart(seq: number, token: string): string {
  if (!Number.isSafeInteger(seq) || seq < 1 || !isToken(token)) throw new Error(`not a place: ${seq}-${token}`);
  return `${seq}-${token}`;
}
