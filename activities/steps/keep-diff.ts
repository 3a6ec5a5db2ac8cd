/** What a failed try of a step had changed, as a diff: its tree is put back before the next one. Source: S-72. */

import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import { TURN_OUTCOMES, type TurnOutcome } from '../../protocol/run/outcomes.js';
import { openRunGit, type RunGit } from '../git/run/open-run-git.js';
import { isHostTrouble, isRepositoryBusy } from '../git/start/repository-busy.js';
import { readExit } from '../process/marks.js';
import type { AtPlace } from '../unit/at-place.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import { artifactsOf } from '../unit/run-projection.js';
import { readEntries } from './given-steps.js';
import { workOf } from './step-at-work.js';

const DIFF_FILE = 'step-diff.json';

/** **Unit** characters. People and the next try read no more; it is redacted as one text, on the only thread of the worker. */
export const MAX_KEPT_CHARS = 1024 * 1024;

/** Before anything is put back. Idempotency: by place; the first look counts. What a rule forbids is kept nowhere. */
export async function keepDiffOfTurn(
  at: AtPlace & { readonly git: RunGit },
  { outcome, expectedHead }: { readonly outcome: TurnOutcome; readonly expectedHead: string },
): Promise<void> {
  const failed = TURN_OUTCOMES[outcome.kind].event === 'turn.failed' && outcome.kind !== 'policy_violation';
  if (!failed || readMark(at.place, DIFF_FILE).kind === 'answer') return;
  const claimedAt = readExit(at.place.dir)?.claimedAt;
  if (claimedAt === undefined) return;
  await keepDiff(at, async () => {
    const planned = await at.git.plan({ expectedHead, claimedAt, subject: 'what a failed step left', body: '' });
    return planned === null ? '' : at.git.patch(expectedHead, planned.commit);
  });
}

/** Of the commit that the checks of its step refused. */
export async function keepDiffOfCheck(at: AtPlace, commit: string, step: StepOfTurn): Promise<void> {
  const work = workOf('turn', at.run, step);
  const first = readEntries(at.run).find(
    ({ step: own }) => own?.plan === work?.plan && own?.seq === step.seq && own.attempt === step.attempt,
  );
  if (first === undefined || readMark(at.place, DIFF_FILE).kind === 'answer') return;
  const git = await openRunGit(at.workplace.git);
  await keepDiff(at, () => git.patch(first.headBefore, commit));
}

export function readDiff({ place }: Pick<AtPlace, 'place'>): ArtifactRef | null {
  const mark = readMark<ArtifactRef | null>(place, DIFF_FILE);
  return mark.kind === 'answer' ? mark.value : null;
}

/** A worktree that git cannot read costs the diff, not the run. Errors: what passes with time. */
async function keepDiff({ deps, run, place }: AtPlace, read: () => Promise<string>): Promise<void> {
  const text = await read().catch((error: unknown) => {
    if (isRepositoryBusy(error) || isHostTrouble(error)) throw error;
    return '';
  });
  const kept = text === '' ? null : await artifactsOf(deps, run).put(headOfPatch(text), 'text/plain');
  writePlaceMark<ArtifactRef | null>(place, DIFF_FILE, kept);
}

/** Pure. By whole lines: half of a secret would be none that the redactor knows. */
export function headOfPatch(patch: string): string {
  if (patch.length <= MAX_KEPT_CHARS) return patch;
  const head = patch.slice(0, patch.lastIndexOf('\n', MAX_KEPT_CHARS - 1) + 1);
  return `${head}[… ${patch.length - head.length} characters more are left out; the worktree was put back …]\n`;
}
