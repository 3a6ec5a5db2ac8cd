/** After the outcome mark: publish the commit or roll back, each by compare-and-swap and harmless when repeated. */
import type { GitCommittedData, TypedObservation } from '../../protocol/event-data.js';
import type { Observation } from '../../protocol/journal.js';
import type { TurnOutcome } from '../../protocol/outcomes.js';
import { checkChange, violation } from './check-change.js';
import type { TurnJudgement } from './judge-turn.js';
import type { TurnContextOnHost } from './turn-context.js';

export interface SettledTurn {
  readonly outcome: TurnOutcome;
  readonly head: string;
  readonly observations: readonly Observation[];
}

export async function settleTurn(context: TurnContextOnHost, judgement: TurnJudgement): Promise<SettledTurn> {
  const { input, git } = context;
  if (judgement.restore) {
    const restored = await git.restore(input.expectedHead);
    if (restored.kind === 'branch_elsewhere') return moved(context, restored.actual);
  }
  if (judgement.planned !== null) return publish(context, judgement, judgement.planned);
  const { stage, place } = input;
  const observations =
    judgement.rolledBack.length === 0
      ? []
      : [
          violation(`the ${stage} turn may not write; its changes were rolled back: ${judgement.rolledBack.slice(0, 5).join(', ')}`, {
            rule: 'read_only',
            stage,
            seq: place.seq,
            paths: judgement.rolledBack.slice(0, 10),
          }),
        ];
  return { outcome: judgement.outcome, head: input.expectedHead, observations };
}

type PlannedChange = NonNullable<TurnJudgement['planned']>;

async function publish(context: TurnContextOnHost, judgement: TurnJudgement, planned: PlannedChange): Promise<SettledTurn> {
  const { git } = context;
  const published = await git.publish(planned);
  if (published.kind === 'moved') return moved(context, published.actual);
  if (published.kind === 'adopted') {
    // A ref that stands at the planned id is adopted by that id alone, so its checks run again.
    const checked = await checkChange(context, planned);
    if (checked.outcome.kind === 'policy_violation') {
      return { outcome: checked.outcome, head: planned.commit, observations: checked.observations };
    }
  }
  return { outcome: judgement.outcome, head: planned.commit, observations: [committed(context, planned)] };
}

function committed({ input }: TurnContextOnHost, { commit, tree, size }: PlannedChange): TypedObservation<'git.committed'> {
  const data: GitCommittedData = { commit, tree, stage: input.stage, ...size };
  const message = `${commit.slice(0, 12)}: ${size.files} file(s), +${size.added} −${size.deleted}`;
  return { timestamp: new Date().toISOString(), type: 'git.committed', message, data };
}

function moved({ run, input }: TurnContextOnHost, actual: string | null): SettledTurn {
  const why = `somebody moved ${run.record.branch} to ${actual?.slice(0, 12) ?? 'nothing'} during the ${input.stage} turn; it was left there`;
  return { outcome: { kind: 'repository_changed', why }, head: input.expectedHead, observations: [] };
}
