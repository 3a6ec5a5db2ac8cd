/** Finds the branch that somebody names as a base, written as the repository lists it, and on what terms the run lands there. Effects: none. */
import type { FindBaseInput, FindBaseResult, LandingTerms } from '../../protocol/actors/landing.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { DEFAULT_LANDING, type LandingPolicy } from '../../protocol/run/landing-policy.js';
import { hostSinks } from '../../protocol/run/policy.js';
import { isInRound } from '../../protocol/run/stages.js';
import { findLandingBase, type LandingBase } from '../git/merge/find-landing-base.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { RunRecord } from '../unit/run-record.js';
import { findMended } from './find-head.js';
import { readRunOfQueue } from './queue-place.js';

export function createFindBase({ home }: Pick<HostDeps, 'home'>): (input: FindBaseInput) => Promise<FindBaseResult> {
  return async ({ repoKey, runId, base, mended }) => {
    const { record } = readRunOfQueue(home, { repoKey, runId });
    const found = await findLandingBase(record.repository, base);
    const terms = termsOf(record);
    if (found.kind === 'branch') {
      const { branch, sha } = found;
      const head = mended === null ? null : await findMended(record, { head: mended, base: sha });
      return { terms, kind: 'branch', branch, head };
    }
    return {
      terms,
      kind: 'refused',
      why: `nothing lands on "${base}": ${wordsOf(found)}. Another branch: sluice land ${runId} --onto <branch>`,
    };
  };
}

export function landingOf({ policy }: Pick<RunRecord, 'policy'>): LandingPolicy {
  // What the record of an older host does not have.
  const landing: Partial<LandingPolicy> | undefined = policy.landing;
  return { ...DEFAULT_LANDING, ...landing };
}

function termsOf(record: RunRecord): LandingTerms {
  const { policy, input, repository, branch } = record;
  return {
    landing: landingOf(record),
    gates: policy.gates,
    canFix: policy.stages.some(isInRound),
    task: input.task,
    sinks: hostSinks(policy.notify).map(({ kind }) => kind),
    ...{ title: titleOf(input), repo: repository.root, branch },
  };
}

function wordsOf(found: Extract<LandingBase, { kind: 'refused' }>): string {
  switch (found.is) {
    case 'head':
      return 'HEAD is whatever is checked out, and no branch';
    case 'tag':
      return 'it is a tag';
    case 'remote':
      return 'it is a branch of a remote';
    case 'commit':
      return 'it is a commit and no branch';
    case 'nothing':
      return 'there is no such branch';
    case 'other_case':
      return `the branch is called "${found.branch}"`;
    case 'symbolic':
      return `it points to ${found.to}, which is no branch`;
  }
}
