/**
 * What `demo --land` does once its run is merge_ready: lands it in the checkout, lets two more runs begin there whose branches touch the same place, and lands both. The second
 * conflicts, a repair run merges both sides, and the chain of both is taken by one fast-forward of plain git.
 */
import { branchOf } from '../../../protocol/names.js';
import { landRuns } from '../commands/land.js';
import { prepareRun, startRun } from '../commands/run.js';
import type { Connected } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import type { StartedView } from '../watch/watch-started.js';
import { BRANCH_STAGES, BRANCHES, type DemoBranch } from './branches.js';

export interface ToLand {
  readonly connected: Connected;
  /** The demo's own run, closed. */
  readonly first: StartedView;
  readonly say: (text: string) => void;
}

export interface Landed {
  /** Of the last landing. */
  readonly exitCode: ExitCode;
  /** Branches that were to land. */
  readonly landed: readonly string[];
}

export async function landBranches(context: Context, { connected, first, say }: ToLand): Promise<Landed> {
  const { sluice } = connected;
  const land = (runs: readonly StartedView[]) => landRuns(context, sluice, { runs, updateCheckout: true, wait: true });
  say('');
  say(`Now it lands, as by "sluice land --update-checkout": main is checked out, so plain git fast-forwards it.`);
  const landed = await land([first]);
  const all = (runs: readonly StartedView[]) => runs.map(({ runId }) => branchOf(runId));
  if (landed !== EXIT.done) return { exitCode: landed, landed: all([first]) };
  say('');
  say('Two more runs begin on main at once. Each agent, scripted as well, puts a line in the same place of index.js.');
  const started: StartedView[] = [];
  for (const branch of BRANCHES) started.push(await startBranch(context, connected, branch));
  for (const { runId, workflowId } of started) {
    const { outcome } = await sluice.result(workflowId, context.io.stop);
    say(`${runId} is ${outcome}.`);
    if (outcome !== 'merge_ready') return { exitCode: EXIT.needsPerson, landed: all([first]) };
  }
  say('');
  say(
    'Both land, one after the other. The second conflicts with the first; a repair run, its agent scripted, keeps both sides.',
  );
  return { exitCode: await land(started), landed: all([first, ...started]) };
}

async function startBranch(
  context: Context,
  connected: Connected,
  { agent, task, title }: DemoBranch,
): Promise<StartedView> {
  const options = { task, title, agent, rounds: '1', program: [], local: true, detach: true };
  const prepared = await prepareRun(context, options);
  const policy = { ...prepared.input.policy, stageList: BRANCH_STAGES };
  return startRun(context, {
    prepared: { ...prepared, input: { ...prepared.input, policy } },
    connected,
    host: undefined,
    detach: false,
  });
}
