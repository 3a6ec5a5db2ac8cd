/**
 * Every command of a run, agent, set-up or check, comes to its end here, and so does what may still live of a run that ends. What it left where a person's next
 * git obeys it is judged at once, whatever the end was: no gate opens and no run closes before. What is found is kept in a mark, then made again as the engine
 * made it; the mark is told by whoever answers for the place, so that a kill in between loses nothing.
 * Not promised: what an agent writes there while it works, or before a worker is back, stays for so long; inside a sandbox it cannot.
 */
import { join } from 'node:path';
import type { PolicyViolationData } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { ownWorktreeOf } from '../git/run/open-run-git.js';
import { removeCheckoutGit } from '../git/run/validation-checkout.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { isAnothers } from '../git/worktree/owner-mark.js';
import { findForeignState, letOwnerIn, putOwnBack } from '../git/worktree/worktree-own-state.js';
import { readRoot } from '../git/worktree/worktree-root.js';
import type { CommandEnd, CommandSpec, RunHooks } from '../process/contract.js';
import { readJson, writeMark } from '../process/marks.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { PlaceFolder } from '../unit/place-record.js';
import type { RunWorkplace, Workplace } from '../unit/workplace.js';
import { violation } from './check-change.js';

const LEFT_FILE = 'left-git.json';

/** Of one place, since an agent can plant any number; a person needs to see some of them. */
const MAX_TOLD = 20;

/** Where a command runs, and whose folder holds what it left. */
export interface CommandOwner {
  readonly deps: Pick<HostDeps, 'processes' | 'durability'>;
  readonly workplace: Workplace;
  readonly place: Pick<PlaceFolder, 'dir'>;
}

/** A turn judges a worktree that is not the run's own any more by itself, and puts it back whole. Errors: as `Processes.run`. */
export async function runTurnCommand(
  owner: CommandOwner & { readonly workplace: RunWorkplace },
  spec: CommandSpec,
  hooks: RunHooks,
): Promise<CommandEnd> {
  const { git } = owner.workplace;
  const end = await owner.deps.processes.run(spec, hooks);
  if (wasStopped(end)) return end;
  await letOwnerIn(ownWorktreeOf(git));
  const isJudged = end.kind === 'ended' && (await readRoot(git.worktree)).kind === 'destroyed';
  if (!isJudged) await judgeLeft(owner);
  return end;
}

/** Of set-up and validation. Errors: as `Processes.run`. */
export async function runLineCommand(owner: CommandOwner, spec: CommandSpec, hooks: RunHooks): Promise<CommandEnd> {
  const end = await owner.deps.processes.run(spec, hooks);
  if (!wasStopped(end)) await judgeLeft(owner);
  return end;
}

/** Ends whatever lives of a workplace. What is in the folder's mark was left by it. */
export async function endCommands(owner: CommandOwner): Promise<void> {
  const { deps, workplace } = owner;
  await deps.processes.endGroup(workplace.group, 'aborted');
  await Promise.all([judgeLeft(owner), forgetCheckoutGit(owner)]);
}

/** Commands may do to it what they like, and nobody needs it after the last of them. Errors: those that pass with time. */
export async function forgetCheckoutGit(owner: CommandOwner): Promise<void> {
  const { repository, checkout } = owner.workplace;
  await keepingTrouble(owner, 'the git of the validation checkout could not be removed', () =>
    removeCheckoutGit(repository, checkout),
  );
}

/** Compares the worktree's own git with what the engine made, and makes it so again. Errors: those that pass with time. */
export async function judgeLeft(owner: CommandOwner): Promise<void> {
  const { git, owner: workflow } = owner.workplace;
  // A late end of a run whose worktree a later one has taken over has nothing to say of it.
  if (git === null || (await isAnothers(git.worktree, workflow))) return;
  const own = ownWorktreeOf(git);
  await keepingTrouble(owner, "the worktree's own git could not be put in order", async () => {
    await letOwnerIn(own);
    const found = (await findForeignState(own)).map((what) => `${what}; ${MADE_AGAIN}`);
    if (found.length === 0) return;
    keep(owner, found);
    await putOwnBack(own);
  });
}

/** Trouble that stays would hold up every end of the run for ever: people are told, and it goes on. */
async function keepingTrouble(owner: CommandOwner, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = lastingTrouble(error);
    if (why === null) throw error;
    keep(owner, [`${what}: ${why}`]);
  }
}

function keep({ deps, place }: CommandOwner, more: readonly string[]): void {
  const found = [...new Set([...leftIn(place), ...more])];
  const told = found.length <= MAX_TOLD ? found : [...found.slice(0, MAX_TOLD), MORE];
  writeMark(join(place.dir, LEFT_FILE), JSON.stringify({ found: told }), deps.durability);
}

/** A sentence for each thing that was found, of all commands of this place. */
function leftIn({ dir }: Pick<PlaceFolder, 'dir'>): readonly string[] {
  try {
    const found = readJson(join(dir, LEFT_FILE))?.['found'];
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
  } catch (error) {
    // Whoever took the right to read it away had a reason.
    if (lastingTrouble(error) === null) throw error;
    return ['what a command left could not be read'];
  }
}

export function leftObservations(
  place: Pick<PlaceFolder, 'dir'>,
  about: Pick<PolicyViolationData, 'stage' | 'seq'>,
): readonly Observation[] {
  return leftIn(place).map((what) => violation(what, { rule: 'own_git', ...about, paths: [] }));
}

/** What a turn comes to. */
interface Judged {
  readonly outcome: TurnOutcome;
  readonly guarded: readonly string[];
}

/** What a person's git obeys was changed: they look before the run goes on, whatever else the turn was. */
export function withLeft<T extends Judged & { readonly observations: readonly Observation[] }>(
  place: Pick<PlaceFolder, 'dir'>,
  judgement: T,
  about: Pick<PolicyViolationData, 'stage' | 'seq'>,
): T {
  const left = leftIn(place);
  if (left.length === 0) return judgement;
  const observations = [...judgement.observations, ...leftObservations(place, about)];
  return gatedBy({ ...judgement, observations }, left);
}

/** `why`: what a person must look at; empty: nothing. */
export function gatedBy<T extends Judged>(judgement: T, why: readonly string[]): T {
  const { outcome } = judgement;
  if (why.length === 0 || outcome.kind === 'policy_violation') return judgement;
  const said = outcome.kind === 'repository_changed' ? [outcome.why, ...why] : why;
  const gated = { ...judgement, outcome: { kind: 'repository_changed', why: said.join('; ') } } as const;
  // A change of the repository around the turn must not hide what a person must see of the diff.
  return outcome.kind === 'guarded_paths' ? { ...gated, guarded: outcome.paths } : gated;
}

const MORE = '… and more of the kind';

const MADE_AGAIN = 'it is as the engine made it again';

/** Its run is closed soon, or the command is started again: either looks. */
function wasStopped(end: CommandEnd): boolean {
  return end.kind === 'ended' && end.exit.reason === 'aborted';
}
