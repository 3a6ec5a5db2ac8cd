/** Finds the branch that somebody names as a base, written as the repository lists it, and on what terms the run lands there. Effects: none. */
import { randomUUID } from 'node:crypto';
import type { FindBaseInput, FindBaseResult, ForgeTerms, LandingTerms } from '../../protocol/actors/landing.js';
import { baseRefOf } from '../../protocol/actors/merge-queue.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { LandingPolicy } from '../../protocol/run/landing-policy.js';
import { hostSinks } from '../../protocol/run/policy.js';
import { isInRound } from '../../protocol/run/stages.js';
import { findLandingBase, type LandingBase } from '../git/merge/find-landing-base.js';
import { isSha, readRef } from '../git/refs/read-ref.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { RunRecord } from '../unit/run-record.js';
import { findMended } from './find-head.js';
import { forgeKeyOf, readRunOfQueue } from './queue-place.js';

export function createFindBase(deps: HostDeps): (input: FindBaseInput) => Promise<FindBaseResult> {
  return ({ repoKey, runId, base, mended }) =>
    // How two commits stand to each other may take git seconds in a long history.
    attend(deps, randomUUID(), async () => {
      const { record } = readRunOfQueue(deps.home, { repoKey, runId });
      const terms = termsOf(record);
      const found = await findNamed(record, terms, base);
      if (found.kind === 'branch') {
        const { branch, sha } = found;
        const head = mended === null || sha === null ? null : await findMended(record, { head: mended, base: sha });
        return { terms, kind: 'branch', branch, head };
      }
      return {
        terms,
        kind: 'refused',
        why: `nothing lands on "${base}": ${wordsOf(found)}. Another branch: sluice land ${runId} --onto <branch>`,
      };
    });
}

/** `sha`: where it stands, as far as this host knows. */
type NamedBase =
  | Extract<LandingBase, { readonly kind: 'refused' }>
  | { readonly kind: 'refused'; readonly is: 'no_name' }
  | { readonly kind: 'branch'; readonly branch: string; readonly sha: string | null };

/** Of a forge only the forge knows its branches: whether there is such a one is seen when something lands there. */
async function findNamed({ repository }: RunRecord, { forge }: LandingTerms, base: string): Promise<NamedBase> {
  if (forge === null) return findLandingBase(repository, base);
  if (base === 'HEAD' || base === '@') return { kind: 'refused', is: 'head' };
  if (isSha(base)) return { kind: 'refused', is: 'commit' };
  const branch = base.replace(/^refs\/heads\/|^(?:refs\/remotes\/)?origin\//, '');
  if (!isBranchName(branch)) return { kind: 'refused', is: 'no_name' };
  const sha = await readRef(repository.commonDir, baseRefOf({ repoKey: forge.repo, branch }));
  return { kind: 'branch', branch, sha };
}

/** Source: git-check-ref-format(1). */
function isBranchName(name: string): boolean {
  const isPart = (part: string) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock');
  return (
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\.$|^-|^refs\//u.test(name) &&
    name.split('/').every(isPart) &&
    name.length <= MAX_NAME_CHARS
  );
}

const MAX_NAME_CHARS = 250;

/** Where there is a forge, it lands there, whoever takes it there. */
function forgeOf(record: RunRecord): ForgeTerms | null {
  const repo = forgeKeyOf(record);
  if (repo === null) return null;
  const { checksTimeoutMs, reactRounds } = record.policy.forge;
  return { repo, checksTimeoutMs, reactRounds };
}

export function landingOf({ policy }: Pick<RunRecord, 'policy'>): LandingPolicy {
  return policy.landing;
}

function termsOf(record: RunRecord): LandingTerms {
  const { policy, input, repository, branch } = record;
  return {
    landing: landingOf(record),
    gates: policy.gates,
    canFix: policy.stages.some(isInRound),
    forge: forgeOf(record),
    task: input.task,
    sinks: hostSinks(policy.notify).map(({ kind }) => kind),
    title: titleOf(input),
    repo: repository.root,
    branch,
  };
}

function wordsOf(found: Extract<NamedBase, { kind: 'refused' }>): string {
  switch (found.is) {
    case 'head':
      return 'HEAD is whatever is checked out, and no branch';
    case 'tag':
      return 'it is a tag';
    case 'remote':
      return 'it is a branch of a remote';
    case 'commit':
      return 'it is a commit and no branch';
    case 'no_name':
      return 'no branch can be called that';
    case 'nothing':
      return 'there is no such branch';
    case 'other_case':
      return `the branch is called "${found.branch}"`;
    case 'symbolic':
      return `it points to ${found.to}, which is no branch`;
  }
}
