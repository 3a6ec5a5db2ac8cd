/** One look at a pull request. Effects: of one that is merged its host notes that, as of what its queue lands: it cleans by that. */
import type { ForgeTrouble, LookAtPullInput, LookAtPullResult, PullState } from '../../protocol/actors/forge.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { forgeKeyOf } from '../landing/queue-place.js';
import { noteLanded, readLanded } from '../unit/landed-mark.js';
import { type AtForge, askAgain, atForge, type ForgeDeps, isSince } from './at-forge.js';
import { judgeChecks } from './judge-checks.js';
import { MAX_CHECK_PAGES, newestOf, PULL_STATE, readPull, type SaidCheck, type SeenPull } from './pull-query.js';

export type Seen =
  | ({ readonly kind: 'seen'; readonly pull: PullState } & Pick<SeenPull, 'nodeId' | 'headBranch'>)
  | ForgeTrouble;

type Page = { readonly kind: 'page'; readonly page: SeenPull } | ForgeTrouble;

export function createLookAtPull(deps: ForgeDeps): (input: LookAtPullInput) => Promise<LookAtPullResult> {
  return (input) =>
    atForge<LookAtPullResult>(deps, input, async (at) => {
      const { notBefore } = input;
      const answer = await lookUntil(at, input.number, ({ updatedAt }) => isSince(updatedAt, notBefore));
      if (answer.kind !== 'seen') return answer;
      await noteMerged(at, answer.pull);
      return { kind: 'pull', pull: answer.pull };
    });
}

/** Whoever merged it, and however; not of a head that somebody put in the place of ours. */
export async function noteMerged(
  { deps, run, source }: AtForge,
  { head, base, mergeCommit }: PullState,
): Promise<void> {
  const { record, stateDir } = run;
  const repoKey = forgeKeyOf(record);
  if (mergeCommit === null || repoKey === null || readLanded(stateDir)?.commit === mergeCommit) return;
  if ((await readAncestry(record.repository, source.head, head)) !== 'ancestor') return;
  const mark = { head: source.head, base: { repoKey, branch: base }, commit: mergeCommit, isThere: true };
  noteLanded(stateDir, mark, deps.durability);
}

/** Again, where the answer is older than what we know. */
export function lookUntil(at: AtForge, number: number, isNews: (pull: PullState) => boolean): Promise<Seen> {
  return askAgain<Seen>(at, {
    ask: () => seePull(at, number),
    // A server of the forge that is behind does not know it yet.
    isNews: (answer) => (answer.kind === 'seen' ? isNews(answer.pull) : answer.kind !== 'gone'),
  });
}

async function seePull(at: AtForge, number: number): Promise<Seen> {
  const checks: SaidCheck[] = [];
  for (let after: string | null = null, page = 1; ; page += 1) {
    const answer: Page = await seePage(at, number, after);
    if (answer.kind !== 'page') return answer;
    const { pull, repo, isArchived, required, nodeId, headBranch, next } = answer.page;
    const wanted = `${at.owner}/${at.name}`;
    if (repo.toLowerCase() !== wanted.toLowerCase())
      return { kind: 'moved', why: `${wanted} is called ${repo} now; forge.repo has to say so` };
    if (isArchived) return { kind: 'gone', why: `${wanted} is archived` };
    checks.push(...answer.page.checks);
    after = next;
    if (after === null || page === MAX_CHECK_PAGES)
      return { kind: 'seen', pull: { ...pull, checks: judgeChecks(newestOf(checks), required) }, nodeId, headBranch };
  }
}

async function seePage({ client, owner, name }: AtForge, number: number, after: string | null): Promise<Page> {
  const answer = await client.graphql(PULL_STATE, { owner, name, number, after });
  if (answer.kind !== 'answer') return answer;
  const page = readPull(answer.data);
  return page === null
    ? { kind: 'unreachable', why: 'the forge answered what is no pull request' }
    : { kind: 'page', page };
}
