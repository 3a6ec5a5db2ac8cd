/**
 * `sluice demo`: a real package, two real bugs, a scripted agent that is labelled so and forgets one of them, a worker killed in mid-turn, a fix
 * round, a gate, and a last check with plain git and node. With `--land` it goes on: what was made lands, and so do two branches that conflict. It works in a folder and a home of its own, names that folder, and leaves no process behind.
 */
import { diffText } from '../../repository.js';
import { TASK, TITLE } from '../demo/bugs.js';
import { decideGate } from '../demo/decide-gate.js';
import { checkMain, cleanUp, openDemo, sentence, tellPlaces } from '../demo/demo-frame.js';
import { type Accident, killWorkerInMidTurn, startsOf } from '../demo/kill-worker.js';
import { landBranches } from '../demo/land-branches.js';
import type { DemoWorld } from '../demo/make-demo.js';
import { plainCheck } from '../demo/plain-check.js';
import { connectToRun } from '../server/connect.js';
import { addressWithCode, openWeb } from '../server/open-web.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import type { RunEnd } from '../watch/run-end.js';
import { watchToEnd } from '../watch/watch-started.js';
import { prepareRun, startRun } from './run.js';

export interface DemoOptions {
  readonly withholdFix: boolean;
  readonly land: boolean;
  /** The page is served, and the gate is decided there. */
  readonly web: boolean;
}

export async function demo(outer: Context, { withholdFix, land, web }: DemoOptions): Promise<ExitCode> {
  const opened = await openDemo(outer, { kind: 'run', withholdFix });
  const { world, context, say } = opened;
  say('The package is minimist 1.2.7. Two tests that show two real bugs were added; they are red.');
  say('The agent is scripted: it does what a file says, so no key is needed. Everything else is real.');
  say(
    'It forgets one bug at first: the checks are red, and the fix round is for that. Before verifying, a gate waits for a person.',
  );
  let exitCode: ExitCode = EXIT.detached;
  let end: RunEnd | null = null;
  let landed: readonly string[] | null = null;
  try {
    const newCode = 'start npm run demo -- --web again';
    await using served = web ? await openWeb(context, { port: 0, by: personOf(outer), newCode }) : null;
    if (served !== null) say(`The page is at ${addressWithCode(served)}    (works once, within a minute)`);
    const decidedAt = served === null ? null : () => addressWithCode(served);
    const result = await runDemo(context, world, { sayLanding: land ? say : null, decidedAt });
    ({ end, exitCode, landed } = result);
    await tellLedger(world, result.accident, say);
  } finally {
    await cleanUp(opened);
  }
  const checked = end.kind !== 'closed' || (await checkAll(context, world, { end, landed }));
  tellPlaces(opened);
  return checked ? exitCode : EXIT.failed;
}

async function checkAll(
  context: Context,
  world: DemoWorld,
  { end, landed }: { readonly end: Extract<RunEnd, { kind: 'closed' }>; readonly landed: readonly string[] | null },
): Promise<boolean> {
  if (!(await check(context, world, end))) return false;
  const { baseSha } = end.result;
  if (landed === null || baseSha === null) return true;
  return checkMain(context, world, { baseSha, branches: landed, status: '', steps: [] });
}

interface DemoResult {
  readonly end: RunEnd;
  readonly exitCode: ExitCode;
  readonly accident: Accident;
  /** Branches that were to land; null: none was. */
  readonly landed: readonly string[] | null;
}

interface DemoParts {
  /** Null: nothing lands. */
  readonly sayLanding: ((text: string) => void) | null;
  /** As of `decideGate`. */
  readonly decidedAt: (() => string) | null;
}

async function runDemo(context: Context, world: DemoWorld, { sayLanding, decidedAt }: DemoParts): Promise<DemoResult> {
  const { io } = context;
  const options = { task: TASK, title: TITLE, gate: ['verifying'], program: [], local: true, detach: false };
  const prepared = await prepareRun(context, options);
  await using connected = await connectToRun(context, { local: true });
  const ended = new AbortController();
  io.stop.addEventListener('abort', () => ended.abort(), { once: true });
  try {
    if (io.stop.aborted)
      return { end: { kind: 'detached' }, exitCode: EXIT.detached, accident: { kind: 'not_killed' }, landed: null };
    const started = await startRun(context, { prepared, connected, host: undefined, detach: false });
    let note = (text: string) => io.out(text);
    const accident = killWorkerInMidTurn(world, (text) => note(text), ended.signal);
    const { sluice, workflowId } = started;
    const decided = decideGate(context, {
      sluice,
      workflowId,
      ended: ended.signal,
      decidedAt,
      say: (text) => note(text),
    });
    const watched = watchToEnd(context, {
      ...started,
      events: true,
      endsWithWatcher: true,
      onDisplay(display) {
        note = (text) => display.note(text);
      },
    });
    const outcome = await watched.finally(() => ended.abort());
    await decided;
    const made = { ...outcome, accident: await accident, landed: null };
    if (sayLanding === null || outcome.exitCode !== EXIT.done) return made;
    return { ...made, ...(await landBranches(context, { connected, first: started, say: sayLanding })) };
  } finally {
    ended.abort();
  }
}

async function tellLedger(world: DemoWorld, accident: Accident, say: (text: string) => void): Promise<void> {
  if (accident.kind === 'not_killed') return;
  const starts = await startsOf(world, 'executing');
  say('');
  say(
    `The worker was killed while the agent was executing. By the agent's own ledger (${world.ledger}) it was started ${starts === 1 ? 'once' : `${starts} times`}.`,
  );
}

/** True where plain git and node say the same as the run. */
async function check(
  { io, json }: Context,
  world: DemoWorld,
  end: Extract<RunEnd, { kind: 'closed' }>,
): Promise<boolean> {
  const { branch, baseSha, headSha, outcome } = end.result;
  if (branch === null || baseSha === null || headSha === null) return true;
  const { base, branch: after, commands } = await plainCheck(world, baseSha, branch);
  const agrees = base.exitCode !== 0 && (after.exitCode === 0) === (outcome === 'merge_ready');
  if (json) {
    io.json({ kind: 'plain_check', folder: world.folder, base, branch: after, agrees });
    return agrees;
  }
  io.out('');
  io.out(foreignBlock((await diffText(world.repo, baseSha, headSha)) ?? '').trimEnd());
  io.out('');
  io.out('A last check with plain git and node, outside the engine:');
  for (const command of commands) io.out(`  ${command}`);
  io.out(`  on the base:   ${sentence(base)}`);
  io.out(`  on the branch: ${sentence(after)}`);
  if (!agrees) io.err('The plain check does not agree with the run; this is a defect of sluice.');
  return agrees;
}
