/**
 * Puts one command of a run into its sandbox: what the guard starts instead, and what must lie ready just before the start. Nothing is done for a command that is
 * at work already, so that an attempt which attaches leaves the sandbox of the first as it is.
 */

import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { socketFolder } from '../../config/home/socket-folder.js';
import { entryFile, INSIDE_MAIN } from '../../config/system/entries.js';
import { isBelow } from '../../config/system/paths.js';
import { FAILURES } from '../../protocol/failures.js';
import type { AgentConfig, Policy, SandboxPolicy } from '../../protocol/run/policy.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import type { Repository } from '../git/start/contract.js';
import { type Durability, writeMark } from '../process/marks.js';
import type { SandboxChoice } from './choose-sandbox.js';
import { checkoutGit, type GitViewInput, worktreeGit } from './git-view.js';
import { type Guarded, makeOwnFolder, placesIn, shownPlace } from './home-place.js';
import { readablePlaces, systemMounts } from './host-view.js';
import { NOTHING, needsNoSandbox, needsOfAgent, type OwnPlace, ownPlacesOf, REGISTRIES } from './known-needs.js';
import { planMounts } from './plan-mounts.js';
import { type SandboxPrograms, type SandboxSpec, SPEC_FILE } from './sandbox-spec.js';

const BUILT: SandboxPrograms = { main: entryFile('sandbox'), inside: INSIDE_MAIN };

export interface SandboxHost {
  readonly home: { readonly root: string };
  readonly durability: Durability;
  /** Those of the build unless a test names its own. */
  readonly sandboxPrograms?: SandboxPrograms;
}

/** What a sandbox depends on of the place where a command works. */
export interface SandboxedPlace {
  readonly policy: Pick<Policy, 'sandbox' | 'worktree'>;
  readonly sandbox: SandboxChoice;
  readonly repository: Repository;
  /** Null: there is no worktree, only checkouts. */
  readonly git: (Pick<GitViewInput, 'worktree' | 'branch' | 'baseBranch'> & { readonly gitDir: string }) | null;
}

export interface CommandToEnter {
  readonly workplace: SandboxedPlace;
  readonly argv: readonly [string, ...string[]];
  /** Index in `argv` of a program that the command itself starts. */
  readonly starts?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Worktree or validation checkout. */
  readonly cwd: string;
  /** Of this command; nothing inside sees it. */
  readonly dir: string;
  /** Null: a set-up or validation command. */
  readonly agent: AgentConfig | null;
}

export interface Entered {
  readonly argv: readonly [string, ...string[]];
  /** After the checkout is in order. Errors: BadConfig for a place of HOME that may not be shown any more. */
  readonly prepare: () => Promise<void>;
}

/** Where the run is not sandboxed the command stays as it is. */
export function enterSandbox(host: SandboxHost, command: CommandToEnter): Entered {
  const { sandbox: choice, policy } = command.workplace;
  const open = choice.kind !== 'inside' || (command.agent !== null && needsNoSandbox(command.agent));
  if (open) return { argv: command.argv, prepare: async () => undefined };
  const programs = host.sandboxPrograms ?? BUILT;
  const about = { bwrap: choice.bwrap, sandbox: policy.sandbox, inside: programs.inside };
  return {
    argv: [process.execPath, '--no-warnings', programs.main, command.dir],
    prepare: async () => {
      const spec = await specOf(host, command, about);
      writeMark(join(command.dir, SPEC_FILE), JSON.stringify(spec), host.durability);
    },
  };
}

/** What no sandbox shows: the sluice home with all worktrees, its sockets, and the person's checkout. */
export function hiddenPlaces(home: string, { repository }: Pick<SandboxedPlace, 'repository'>): readonly string[] {
  return withReal([home, socketFolder(home), repository.root, repository.commonDir]);
}

/** A place can be shown by its real path where the name that we know leads over a link. */
function withReal(paths: readonly string[]): readonly string[] {
  const real = paths.flatMap((path) => {
    try {
      return [realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set([...paths, ...real])];
}

interface AboutSandbox {
  readonly bwrap: string;
  readonly sandbox: SandboxPolicy;
  readonly inside: string;
}

async function specOf(
  host: SandboxHost,
  command: CommandToEnter,
  { bwrap, sandbox, inside }: AboutSandbox,
): Promise<SandboxSpec> {
  const { workplace, argv, env, cwd, agent } = command;
  const hidden = hiddenPlaces(host.home.root, workplace);
  const realHome = withReal(env['HOME'] === undefined ? [] : [env['HOME']]).slice(1);
  const needs = agent === null ? null : needsOfAgent(agent);
  const guarded: Guarded = { home: env['HOME'], hidden };
  const { made, home, caches, named, readOnly, scratch } = needs ?? NOTHING;
  const own = (names: readonly string[]) => ownPlacesOf(names, needs, env);
  // Outside of HOME nothing can be made inside.
  const moved = own(caches).filter(({ folder }) => folder !== env['HOME']);
  for (const place of [...own(made), ...moved]) makeOwnFolder(place, guarded);
  const writable = [
    ...shownPlaces([...ownPlacesOf([...sandbox.home, ...named], null, env), ...own(home)], guarded),
    ...own(caches).flatMap((place) => pathIfShown(place, guarded)),
  ];
  const emptied = shownPlaces(own(scratch), guarded).filter((path) => !writable.includes(path));
  const programs = namedFiles(command);
  const git = await gitMounts(command);
  const mounts = planMounts({
    system: systemMounts(),
    home: emptiedHome(env['HOME']),
    hidden: [...hidden, ...realHome],
    readable: readablePlaces({ named: programs, env, hidden }),
    homeWritable: writable,
    homeScratch: emptied,
    homeReadable: [
      ...shownPlaces(own(readOnly), guarded).map((path) => ({ from: path, to: path })),
      ...emptied.flatMap((path) => placesIn(path, guarded)),
    ],
    programs: readablePlaces({ named: programs, env: {}, hidden }),
    git: git.mounts,
    overCheckout: git.over,
    linked: linkedPlaces(command),
    checkout: cwd,
  });
  const known = [...REGISTRIES, ...(needs?.hosts ?? [])];
  const { network, allow } = sandbox;
  const asRoot = process.getuid?.() === 0;
  const node = process.execPath;
  return { version: 1, bwrap, mounts, cwd, asRoot, program: argv, network, allow, known, inside, node };
}

/** A service may have `/` for HOME: emptied, it would take the system along. */
function emptiedHome(home: string | undefined): string | null {
  return home === undefined || isBelow('/usr', home) ? null : home;
}

/** The program, and what its trusted config names, by a variable too. Other arguments may hold a text of somebody else's, such as a task, and that must choose no file. */
function namedFiles({ argv, starts, agent }: CommandToEnter): readonly string[] {
  const programs = [argv[0], ...(starts === undefined ? [] : argv.slice(starts, starts + 1))];
  return agent === null
    ? programs
    : [...programs, ...(agent.command ?? []), ...agent.args, ...Object.values(agent.env)];
}

/** Errors: BadConfig for one that would show what no agent may see. */
function shownPlaces(places: readonly OwnPlace[], guarded: Guarded): readonly string[] {
  const paths = places.flatMap((one) => {
    const place = shownPlace(one, guarded);
    if (place.kind === 'refused') throw homeRefused(place.why);
    return place.kind === 'there' ? [place.path] : [];
  });
  return [...new Set(paths)];
}

function pathIfShown(one: OwnPlace, guarded: Guarded): readonly string[] {
  const place = shownPlace(one, guarded);
  return place.kind === 'there' ? [place.path] : [];
}

function gitMounts({ workplace, cwd, dir }: CommandToEnter) {
  const { repository, git } = workplace;
  if (git === null || cwd !== git.worktree) return checkoutGit(repository);
  const folder = join(dir, 'sandbox');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return worktreeGit({ ...git, repository, privateGitDir: git.gitDir, folder });
}

/** A link that set-up made leads into the person's checkout, which is hidden; its target is shown. One that an agent turned elsewhere is not followed. */
function linkedPlaces({ workplace, cwd }: CommandToEnter): readonly string[] {
  const { repository, policy } = workplace;
  return policy.worktree.link.flatMap((written) => {
    const name = written.replace(/^(?:\.\/)+|\/+$/g, '');
    const target = join(repository.root, name);
    const [, real = target] = withReal([target]);
    return linkTarget(join(cwd, name)) === target && existsSync(target) && isBelow(real, repository.root)
      ? [target]
      : [];
  });
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

function homeRefused(why: string): ApplicationFailure {
  const parts = {
    what: `the sandbox of this run cannot be made any more: ${why}.`,
    why: 'What is shown of HOME must be a file or folder of its own.',
    now: 'The run ends here; what earlier turns did stays.',
    mend: 'Put it back, then start anew: sluice run "<task>"',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadConfig, parts));
}
