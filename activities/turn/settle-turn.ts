/** After the outcome mark: publish the commit or roll back, each by compare-and-swap and harmless when repeated. */
import type { GitCommittedData, TypedObservation } from '../../protocol/messages/event-data.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { checkChange, violation } from '../checks/check-change.js';
import { readExit } from '../process/marks.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import type { TurnJudgement } from './judge-turn.js';
import { usedBranch } from './order-worktree.js';
import { publishChange } from './plan-change.js';
import { PUT_BACK, type TurnTrouble, troubleOf } from './turn-trouble.js';

export interface SettledTurn {
  readonly outcome: TurnOutcome;
  readonly head: string;
  /** Where somebody else moved the branch to: a person decides whether the run goes on from there. Missing where nobody moved it. */
  readonly elsewhere?: string | null;
  readonly observations: readonly Observation[];
}

/** Written before a planned commit is given up, so that no later attempt publishes it again, unchecked. */
const GIVEN_UP_FILE = 'given-up.json';

/** Nothing in it can be to the good of an agent that wrote it: the turn is a violation whatever it says. */
type GivenUp = Pick<Extract<TurnOutcome, { kind: 'policy_violation' }>, 'rule' | 'why'>;

export async function settleTurn(context: TurnOnHost, judgement: TurnJudgement): Promise<SettledTurn> {
  try {
    return await settle(context, judgement);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    if (trouble === null) throw err;
    return settledInTrouble(context, judgement, trouble);
  }
}

async function settle(context: TurnOnHost, judgement: TurnJudgement): Promise<SettledTurn> {
  const { input, git } = context;
  if (judgement.restore) {
    // A commit that the agent made of a change that may not be kept is held by no ref either.
    const restored = await git.restore(
      input.expectedHead,
      judgement.outcome.kind === 'policy_violation' ? 'dropped' : 'kept',
    );
    if (restored.kind === 'branch_elsewhere') return moved(context, restored.actual);
  }
  if (judgement.planned !== null) return publish(context, judgement, judgement.planned);
  const { stage, place } = input;
  const observations =
    judgement.rolledBack.length === 0
      ? []
      : [
          violation(
            `the ${stage} turn may not write; its changes were rolled back: ${judgement.rolledBack.slice(0, 5).join(', ')}`,
            {
              rule: 'read_only',
              stage,
              seq: place.seq,
              paths: judgement.rolledBack.slice(0, 10),
            },
          ),
        ];
  const { outcome, elsewhere } = judgement;
  return { outcome, head: input.expectedHead, elsewhere, observations };
}

type PlannedChange = NonNullable<TurnJudgement['planned']>;

async function publish(context: TurnOnHost, judgement: TurnJudgement, planned: PlannedChange): Promise<SettledTurn> {
  const { git, place } = context;
  const givenUp = readMark<GivenUp>(place, GIVEN_UP_FILE);
  if (givenUp.kind === 'answer') return rollBack(context, planned, givenUp.value);
  const root = await git.root();
  if (root.kind === 'destroyed')
    return giveUp(context, planned, { rule: 'outside_path', why: `${root.why}; ${PUT_BACK}` });
  const used = (await git.head()) === planned.commit ? null : await usedBranch(context.run);
  if (used !== null) return { outcome: used, head: context.input.expectedHead, observations: [] };
  const published = await publishChange(context, planned, readExit(place.dir)?.claimedAt ?? '');
  if (published.kind === 'moved') return moved(context, published.actual);
  if (published.kind === 'adopted') {
    // A ref that stands at the planned id is adopted by that id alone, so its checks run again.
    const checked = await checkChange(context, planned);
    if (checked.outcome.kind === 'policy_violation') {
      return giveUp(context, planned, checked.outcome);
    }
  }
  return { outcome: judgement.outcome, head: planned.commit, observations: [committed(context, planned)] };
}

async function giveUp(context: TurnOnHost, planned: PlannedChange, { rule, why }: GivenUp): Promise<SettledTurn> {
  writePlaceMark<GivenUp>(context.place, GIVEN_UP_FILE, { rule, why });
  return rollBack(context, planned, { rule, why });
}

/** The commit stays under `refs/sluice/<runId>/reset-<n>` if the branch stood at it. */
async function rollBack(context: TurnOnHost, planned: PlannedChange, { rule, why }: GivenUp): Promise<SettledTurn> {
  const { git, input } = context;
  if ((await git.head()) === planned.commit) {
    const back = await git.moveBack(planned.commit, input.expectedHead);
    if (back.kind === 'moved') return moved(context, back.actual);
  }
  const restored = await git.restore(input.expectedHead);
  if (restored.kind === 'branch_elsewhere') return moved(context, restored.actual);
  const observation = violation(why, { rule, stage: input.stage, seq: input.place.seq, paths: [] });
  return { outcome: { kind: 'policy_violation', rule, why }, head: input.expectedHead, observations: [observation] };
}

/** A violation that was found while judging stays the outcome: that its worktree cannot be put back as well is the smaller news. */
async function settledInTrouble(
  context: TurnOnHost,
  judgement: TurnJudgement,
  trouble: TurnTrouble,
): Promise<SettledTurn> {
  const { git, input } = context;
  const { planned } = judgement;
  if (judgement.outcome.kind === 'policy_violation') {
    return { outcome: judgement.outcome, head: input.expectedHead, observations: trouble.observations };
  }
  // The refs may have been moved before the trouble came.
  if (planned !== null && (await git.head()) === planned.commit) {
    return {
      outcome: trouble.outcome,
      head: planned.commit,
      observations: [committed(context, planned), ...trouble.observations],
    };
  }
  return { outcome: trouble.outcome, head: input.expectedHead, observations: trouble.observations };
}

function committed({ input }: TurnOnHost, { commit, tree, size }: PlannedChange): TypedObservation<'git.committed'> {
  const data: GitCommittedData = { commit, tree, stage: input.stage, ...size };
  const message = `${commit.slice(0, 12)}: ${size.files} file(s), +${size.added} −${size.deleted}`;
  return { timestamp: new Date().toISOString(), type: 'git.committed', message, data };
}

function moved({ run, input }: TurnOnHost, actual: string | null): SettledTurn {
  const why = `somebody moved ${run.record.branch} to ${actual?.slice(0, 12) ?? 'nothing'} during the ${input.stage} turn; it was left there`;
  const outcome = { kind: 'repository_changed', why } as const;
  return { outcome, head: input.expectedHead, elsewhere: actual, observations: [] };
}
