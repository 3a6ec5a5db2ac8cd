/** The diff check of a write turn (V-128) and the guarded paths, with what of it is journalled. */
import type { GitCommittedData, PolicyViolationData, TypedObservation } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { checkDiff } from '../git/inspect/diff-check.js';
import type { DiffFile, PlannedCommit } from '../git/start/contract.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';

export interface CheckedChange {
  readonly outcome: TurnOutcome;
  readonly observations: readonly Observation[];
  readonly size: ChangeSize;
}

/** Binary files count as files without lines. */
export type ChangeSize = Pick<GitCommittedData, 'files' | 'added' | 'deleted'>;

const MAX_LISTED = 10;

export async function checkChange({ run, git, input }: TurnOnHost, planned: PlannedCommit): Promise<CheckedChange> {
  const { policy, worktree } = run.record;
  const diff = await git.diff(input.expectedHead, planned.commit);
  const checked = await checkDiff({ worktree, diff, block: policy.block, guarded: policy.guardedPaths });
  const size = sizeOf(diff.files);
  const [first] = checked.findings;
  if (first !== undefined) {
    const paths = listPaths([...new Set(checked.findings.map((finding) => finding.path))]);
    const why = `${first.why}; the turn's change was rolled back`;
    const data: PolicyViolationData = { rule: first.rule, stage: input.stage, seq: input.place.seq, paths };
    return { outcome: { kind: 'policy_violation', rule: first.rule, why }, observations: [violation(why, data)], size };
  }
  if (checked.guarded.length > 0) {
    const paths = listPaths(checked.guarded);
    const why = `the change touches ${checked.guarded.length} guarded path(s): ${paths.join(', ')}. The commit is on the branch; a person must look before it goes on`;
    return { outcome: { kind: 'guarded_paths', why: why.slice(0, 300), paths }, observations: [], size };
  }
  return { outcome: { kind: 'done' }, observations: [], size };
}

/** In the last place how many there are more: whoever looks at what is listed must know that it is not all. */
function listPaths(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_LISTED) return paths;
  const shown = paths.slice(0, MAX_LISTED - 1);
  return [...shown, `… and ${paths.length - shown.length} more`];
}

function sizeOf(files: readonly DiffFile[]): ChangeSize {
  const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return {
    files: files.length,
    added: sum(files.map((file) => file.added)),
    deleted: sum(files.map((file) => file.deleted)),
  };
}

export function violation(message: string, data: PolicyViolationData): TypedObservation<'policy.violation'> {
  return { timestamp: new Date().toISOString(), type: 'policy.violation', message: message.slice(0, 300), data };
}
