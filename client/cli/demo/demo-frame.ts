/** What every demo has: a world of its own that the person's environment does not reach, words, an end that leaves no process, and a last look at main without sluice. */
import { ensureHome } from '../../../config/home/home.js';
import { trustConfig } from '../../../config/home/trust.js';
import { downEngine } from '../server/up.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { type DemoStory, type DemoWorld, makeDemo } from './make-demo.js';
import { endProcessesOf } from './no-process-left.js';
import { checkLanded, type LandedCommit, type TestCount } from './plain-check.js';

export type Say = (text: string) => void;

export interface OpenedDemo {
  readonly world: DemoWorld;
  readonly context: Context;
  readonly say: Say;
}

/** Errors: as of `makeDemo`. */
export async function openDemo(outer: Context, story: DemoStory): Promise<OpenedDemo> {
  const world = await makeDemo(story);
  const context = contextOf(outer, world);
  const say = speaker(context);
  ensureHome(world.home);
  await trustConfig(world.home, world.repo, world.config);
  say(`The demo works in ${world.folder} with a home of its own; nothing else is touched.`);
  return { world, context, say };
}

/** The commands that it names look in the person's own home. */
export function tellPlaces({ world, say }: OpenedDemo): void {
  say(`To look around with the commands above: cd ${world.repo} && export SLUICE_HOME=${world.home}`);
  say(`Everything is in ${world.folder}; remove it with: rm -rf ${world.folder}`);
}

/** A home, a config place and a server of its own, whatever the person's environment says. */
function contextOf({ io, json }: Context, { home, repo, folder }: DemoWorld): Context {
  const own = { SLUICE_HOME: home, XDG_CONFIG_HOME: `${folder}/config` };
  // The engine's processes inherit this process' environment.
  Object.assign(process.env, own);
  return { home, json, io: { ...io, cwd: repo, env: { ...io.env, ...own } } };
}

export async function cleanUp({ world, say }: OpenedDemo): Promise<void> {
  await downEngine(world.home, { now: true, onProgress: () => {} }).catch(() => null);
  const left = await endProcessesOf(world.folder);
  if (left === null) say('The local engine is down.');
  else
    say(
      left.length === 0
        ? 'The local engine is down; no process is left.'
        : `These processes did not end: ${left.join(', ')}`,
    );
}

export interface ToCheck {
  /** Where main stood before. */
  readonly baseSha: string;
  /** Branches that were to land. */
  readonly branches: readonly string[];
  /** As `git status --porcelain` says it of the person's checkout, which stands on main. */
  readonly status: string;
  /** Commits of steps of plans that main must have, each once: `minimist-4 step 2`. */
  readonly steps: readonly string[];
}

/** True where each commit that landed on main is green, no branch is missing, the commit of each step is there once, and the checkout is as main is but for what the person changed. */
export async function checkMain({ io, json }: Context, world: DemoWorld, wanted: ToCheck): Promise<boolean> {
  const { branches } = wanted;
  const { landed, steps, missing, status, commands } = await checkLanded(world, wanted);
  const isGreen = [...landed, ...steps].every(({ exitCode }) => exitCode === 0);
  const names = steps.map(({ step }) => step);
  // A branch of several steps that is taken by a fast-forward has each of them there, so that they are counted by their names.
  const isWhole =
    wanted.steps.length === 0
      ? landed.length === branches.length
      : names.toSorted().join() === wanted.steps.toSorted().join();
  const agrees = isGreen && isWhole && missing.length === 0 && status === wanted.status;
  if (json) {
    io.json({ kind: 'plain_check_landed', folder: world.folder, landed, steps, missing, status, agrees });
    return agrees;
  }
  io.out('');
  io.out('What is on main now, by plain git and node, each commit by itself:');
  for (const command of commands) io.out(`  ${command}`);
  const lineOf = ({ commit, subject, ...count }: LandedCommit) =>
    foreign(`${commit.slice(0, 12)}  ${sentence(count)}  ${subject}`);
  for (const one of landed) io.out(`  ${lineOf(one)}`);
  if (steps.length > 0) io.out('The commits of the steps among them, by their trailers:');
  for (const one of steps) io.out(`  ${lineOf(one)}  (${foreign(one.step)})`);
  if (!agrees) io.err('The plain check does not agree with the landings; this is a defect of sluice.');
  return agrees;
}

export function sentence({ tests, failed, exitCode }: Omit<TestCount, 'commit'>): string {
  return exitCode === 0 ? `all ${tests} checks pass` : `${failed} of ${tests} checks fail`;
}

function speaker({ io, json }: Context): Say {
  return (text) => {
    if (!json) io.out(text);
    else if (text !== '') io.json({ kind: 'note', text });
  };
}
