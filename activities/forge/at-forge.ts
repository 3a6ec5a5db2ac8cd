/**
 * What an activity needs of the forge of one run: where it is, by the run's frozen policy, as whom, and whom nothing of that may reach. The token is read for each activity and kept by none; what
 * it answers and what it throws has it no more.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { findForgeToken } from '../../config/home/forge-token.js';
import { forgeAddress } from '../../config/keys/forge-address.js';
import { endingWith } from '../../config/system/ending-signal.js';
import { entryFile } from '../../config/system/entries.js';
import type { ForgeInput, ForgeTrouble } from '../../protocol/actors/forge.js';
import type { RunResult, RunSource } from '../../protocol/messages/messages.js';
import type { ForgePolicy } from '../../protocol/run/forge-policy.js';
import type { Json } from '../../protocol/text/json.js';
import { createValueRedactor, type Redactor } from '../../protocol/text/value-redactor.js';
import type { ForgeRemote } from '../git/forge/forge-git.js';
import { type LandingDeps, readRunOfQueue } from '../landing/queue-place.js';
import { eitherOf } from '../unit/attempts.js';
import { attend } from '../unit/attend.js';
import { badInput } from '../unit/run-failures.js';
import { assertFrozen, type RunOnHost } from '../unit/run-record.js';
import { hideIn } from '../unit/run-redactor.js';
import { type ForgeAnswer, type ForgeClient, openForgeClient } from './forge-client.js';
import { WriteTurns } from './write-turns.js';

export interface ForgeDeps extends LandingDeps {
  /** The program that asks for the token where the bundled one is not beside us. */
  readonly askpassMain?: string;
  /** Unit: ms. Between two writes of one owner. */
  readonly writeGapMs?: number;
  /** Unit: ms. Between two looks at an answer that is older than what is known. */
  readonly staleWaitMs?: number;
}

export interface AtForge {
  readonly deps: ForgeDeps;
  readonly run: RunOnHost;
  readonly source: RunSource;
  readonly verdict: RunResult['verdict'];
  readonly policy: ForgePolicy & { readonly repo: string };
  readonly owner: string;
  readonly name: string;
  readonly client: ForgeClient;
  readonly remote: ForgeRemote;
  readonly stop: AbortSignal;
  readonly redactor: Redactor;
  /** Where the token was found. */
  readonly tokenSource: string;
}

const NO_ANSWER = { source: null, verdict: null } as const;

/** Source: docs.github.com, "Best practices for using the REST API": at least one second between writes. */
const WRITE_GAP_MS = 1_000;

/** Lists are behind by ten seconds at most. */
const STALE_WAIT_MS = 2_000;
const STALE_LOOKS = 6;

/** Errors: as of `readRunOfQueue`; BadInput where the run has no forge or no change; RunChanged for a record that is not what the run was opened with. */
export function atForge<T>(
  deps: ForgeDeps,
  input: ForgeInput,
  work: (at: AtForge) => Promise<T | ForgeTrouble>,
): Promise<T | ForgeTrouble> {
  // Without a place: each attempt asks for itself.
  return attend(deps, randomUUID(), async (signals) => {
    const opened = await openForge(deps, input, eitherOf(signals));
    return opened.kind === 'open' ? workAt(opened.at, work) : opened;
  });
}

/** `stop`: the end of the activity. Errors: as of `atForge`. */
export async function openForge(
  deps: ForgeDeps,
  input: ForgeInput,
  stop: AbortSignal,
): Promise<{ readonly kind: 'open'; readonly at: AtForge } | ForgeTrouble> {
  const run = readRunOfQueue(deps.home, input);
  const { source, verdict } = await readSource(deps, run, input);
  const policy = policyOf(run);
  const address = forgeAddress(policy.apiUrl);
  if (address === null) throw badInput('forge.apiUrl', `${policy.apiUrl} is no address of a forge`);
  const { repository, worktree } = run.record;
  const forbidden = [repository.root, worktree];
  const found = await findForgeToken({ environment: deps.environment, host: address.host, forbidden });
  if (found.kind === 'none') return { kind: 'unauthorized', why: found.why };
  const { token, source: tokenSource } = found;
  const redactor = createValueRedactor([token]);
  const { failpoint } = deps;
  const [owner = '', name = ''] = policy.repo.split('/');
  const client = await openForgeClient({ apiUrl: address.apiUrl, token, stop, failpoint });
  const askpassMain = deps.askpassMain ?? entryFile('askpass');
  const remote = {
    home: deps.home.root,
    token,
    origin: address.gitOrigin,
    repo: policy.repo,
    askpassMain,
    failpoint,
  };
  const about = { deps, run, source, verdict, policy, owner, name, client, remote, stop };
  return { kind: 'open', at: { ...about, redactor, tokenSource } };
}

/** Errors: those of `work`, without the token. */
export async function workAt<T>(
  at: AtForge,
  work: (at: AtForge) => Promise<T | ForgeTrouble>,
): Promise<T | ForgeTrouble> {
  const { stop, redactor } = at;
  try {
    const answer = await endingWith(stop, () => work(at));
    // Strings become strings, so that it is what it was.
    return redactor.json(answer as Json) as T | ForgeTrouble;
  } catch (error) {
    hideIn(error, redactor);
    throw error;
  }
}

async function readSource(
  deps: ForgeDeps,
  run: RunOnHost,
  { repoKey, runId }: ForgeInput,
): Promise<Pick<AtForge, 'source' | 'verdict'>> {
  const answer = await deps.readAnswer(run.record.workflowId);
  const { source, verdict } = answer.kind === 'answer' ? answer.result : NO_ANSWER;
  if (source === null) throw badInput('runId', `the run ${runId} has no change that could be shown to anybody`);
  // Whoever could change it could have the token sent anywhere.
  assertFrozen(run, { repoKey, runId, frozen: source.frozen });
  return { source, verdict };
}

function policyOf({ record }: RunOnHost): AtForge['policy'] {
  const { forge } = record.policy;
  if (forge.repo === null) throw badInput('forge.repo', `the run ${record.runId} was opened without a forge`);
  return { ...forge, repo: forge.repo };
}

const turns = new WriteTurns();

/** A request that changes something, a second after the last one of this owner. */
export async function write(at: AtForge, ask: () => Promise<ForgeAnswer>): Promise<ForgeAnswer> {
  const { owner, deps, stop } = at;
  const waitMs = turns.take(owner, { now: performance.now(), gapMs: deps.writeGapMs ?? WRITE_GAP_MS });
  if (waitMs > 0) await delay(waitMs, undefined, { signal: stop });
  return ask();
}

/** By the forge's clock, of both: an answer that is older than what is known is asked again. */
export function isSince(updatedAt: string, notBefore: string | null): boolean {
  return notBefore === null || Date.parse(updatedAt) >= Date.parse(notBefore);
}

/** Asks until `isNews`, as long as an answer may be old; answers the last one. */
export async function askAgain<T>(
  { deps, stop }: AtForge,
  { ask, isNews }: { readonly ask: () => Promise<T>; readonly isNews: (answer: T) => boolean },
): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    const answer = await ask();
    if (isNews(answer) || looks === STALE_LOOKS) return answer;
    await delay(deps.staleWaitMs ?? STALE_WAIT_MS, undefined, { signal: stop });
  }
}
