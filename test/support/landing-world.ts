/** A landing by its table alone: what it is told, and what it has done, beside a queue that says what it likes. */
import type { FindBaseResult, LandingInput, LandingTerms, RunEnd, RunToLand } from '../../protocol/actors/landing.js';
import { ENTRY_SIGNAL, type EntryChange, type EntryState } from '../../protocol/actors/merge-queue.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import type { Tick } from '../../workflows/actor/actor.js';
import type { LandingErrand } from '../../workflows/landing/landing-errand.js';
import { type LandingEvent, type LandingState, notAsked } from '../../workflows/landing/landing-state.js';
import { LANDING_RULES } from '../../workflows/landing/landing-table.js';
import { viewOf } from '../../workflows/landing/landing-view.js';

export const MINUTE_MS = 60_000;

export const SOURCE = {
  host: 'h1',
  repoKey: 'shop',
  frozen: 'f',
  head: 'a'.repeat(40),
  evidence: null,
  base: { branch: 'main', sha: 'b'.repeat(40) },
};
/** What a run says that ended well, beside its source. */
export const ANSWERED = {
  owner: null,
  blockedReason: null,
  error: null,
  branch: 'sluice/r1',
  headSha: 'a'.repeat(40),
  isLanding: false,
  document: null,
};

export const READY: Extract<RunToLand, { readonly kind: 'answer' }> = {
  kind: 'answer',
  outcome: 'merge_ready',
  verdict: 'verified',
  source: SOURCE,
  ...ANSWERED,
};

export const TERMS: LandingTerms = {
  landing: DEFAULT_LANDING,
  gates: { stages: [], maxChangeRounds: 3, remindMs: null, escalateMs: null, expireMs: null, unattendedExpireMs: 0 },
  sinks: ['command'],
  title: 'a title',
  task: 'a task',
  repo: '/shop',
  branch: 'sluice/r1',
  canFix: false,
  forge: null,
};

export function based(branch: string, terms: Partial<LandingTerms> = {}): { kind: 'based'; base: FindBaseResult } {
  return { kind: 'based', base: { kind: 'branch', branch, head: null, terms: { ...TERMS, ...terms } } };
}

/** Without what only tells of it. */
export function deeds(errands: readonly LandingErrand[]): readonly LandingErrand[] {
  return errands.filter(({ kind }) => kind !== 'write' && kind !== 'tell');
}

function newest<T>(rules: readonly T[]): T {
  const last = rules.at(-1);
  if (last === undefined) throw new Error('there are no rules');
  return last;
}

export const RULES = newest(LANDING_RULES);

export class World {
  now = 0;
  state: LandingState;

  constructor(input: Partial<LandingInput> = {}) {
    const asked = { workflowId: null, onto: null, isUnasked: false, attended: true, owner: null, ...input };
    this.state = notAsked('r1', { self: 'landing:r1/x', ...asked });
  }

  readonly errands: LandingErrand[] = [];
  /** Whether the rules let a message of a person in. */
  send(event: Extract<LandingEvent, { kind: 'land' | 'abort' | 'decide' | 'pause' | 'resume' | 'look' }>): boolean {
    const isTaken = RULES.judge(this.state, event).kind === 'accepted';
    if (isTaken) this.tell(event);
    return isTaken;
  }

  tell(event: LandingEvent | Tick): void {
    this.now += 1;
    const step = RULES.after(this.state, event, this.now);
    // It goes over continue-as-new at any time.
    this.state = JSON.parse(JSON.stringify(step.state)) as LandingState;
    this.errands.push(...step.errands);
  }

  /** The landing is with its queue. */
  static queued(): World {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main'));
    return world;
  }

  get entry(): string {
    return viewOf(this.state).entry?.id ?? 'none';
  }

  hear(state: EntryState, part: Partial<EntryChange> = {}): void {
    const change = { id: this.entry, version: this.now, state, commit: null, reason: null, why: null, files: [] };
    this.tell({ kind: ENTRY_SIGNAL, change: { ...change, ...part } });
  }
}

export const land = { kind: 'land', onto: null, by: null, isUnasked: false } as const;

export function answer(text: string) {
  return {
    kind: 'decide',
    message: { name: 'answer', promptId: null, openedAt: null, text, by: 'ann', requestId: null },
  } as const;
}

export function decide(decision: 'approve' | 'reject', by: string | null = 'ann') {
  const message = {
    name: 'approve',
    decision,
    by,
    note: null,
    gate: null,
    openedAt: null,
    commit: null,
    requestId: null,
  } as const;
  return { kind: 'decide', message } as const;
}

/** Sent to the queue: one that is sent again, as until its queue is heard, counts once. */
export function countEntries({ errands }: World): number {
  return new Set(errands.flatMap((errand) => (errand.kind === 'enqueue' ? [errand.entry.id] : []))).size;
}

export const abort = { kind: 'abort', by: 'me', reason: null } as const;
export const pause = { kind: 'pause', by: 'ada', note: 'a release' } as const;
export const resume = { kind: 'resume', by: 'ada' } as const;
/** Of a run whose policy lands it. */
export function unasked(terms: Partial<LandingTerms> = {}, run: Partial<RunEnd> = {}, attended = true): World {
  const world = new World({ isUnasked: true, attended });
  world.tell({ kind: 'begin' });
  world.tell({ kind: 'opened', run: { ...READY, ...run } as RunToLand });
  world.tell(based('main', terms));
  return world;
}
