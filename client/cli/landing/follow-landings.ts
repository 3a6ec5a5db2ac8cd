/** Follows landings until nothing more happens by itself, or nobody tells of them any more: one line, or one object with --json, for each change. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LandingView } from '../../../protocol/actors/landing.js';
import type { Sluice } from '../../sluice.js';
import { gateLines, isSettled, landingLine } from '../../views/landing-text.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { type Absence, countAbsence, missAnswer } from '../watch/server-away.js';

/** **Unit** ms. A landing without checks takes half a second. */
const LOOK_EVERY_MS = 300;

/** What was told of each by now. */
export type ToldLandings = Map<string, LandingView>;

export interface Followed {
  readonly runIds: readonly string[];
  readonly told: ToldLandings;
  /** Commits of the chain that the base has by now: who is ready with one of them has landed, and is about to say so. */
  readonly taken: ReadonlySet<string>;
}

export type LandingsEnd =
  | { readonly kind: 'settled'; readonly views: readonly LandingView[] }
  /** The person stopped first. */
  | { readonly kind: 'detached' }
  /** Server or worker stays away. */
  | { readonly kind: 'server_away' };

/** `told` is filled. */
export async function followLandings(
  context: Context,
  sluice: Pick<Sluice, 'landing'>,
  followed: Followed,
): Promise<LandingsEnd> {
  const { stop } = context.io;
  const { runIds, told, taken } = followed;
  const absences = new Map(runIds.map((runId) => [runId, countAbsence()]));
  const isOver = (view: LandingView) => isSettled(view) && !(view.merge === 'queued' && taken.has(view.commit ?? ''));
  while (!stop.aborted) {
    const isAway = await lookAtAll(context, sluice, { told, absences });
    if (stop.aborted) break;
    const views = runIds.flatMap((runId) => told.get(runId) ?? []);
    if (views.length === runIds.length && views.every(isOver)) return { kind: 'settled', views };
    if (isAway) return { kind: 'server_away' };
    await delay(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return { kind: 'detached' };
}

interface Looked {
  readonly told: ToldLandings;
  /** Of each landing, by the id of its run: a busy worker may miss one in every look, and another each time. */
  readonly absences: ReadonlyMap<string, Absence>;
}

/** Answers whether whoever tells of one stays away. */
async function lookAtAll(
  context: Context,
  sluice: Pick<Sluice, 'landing'>,
  { told, absences }: Looked,
): Promise<boolean> {
  for (const [runId, absence] of absences) {
    const before = told.get(runId);
    if (before?.merge === 'merged' || before?.merge === 'abandoned') continue;
    // One that the server knows no more tells as little as one without a worker.
    const view = await sluice.landing(runId).catch(missAnswer);
    if (context.io.stop.aborted) return false;
    if (view === null) {
      if (absence.missed()) return true;
      continue;
    }
    absence.answered();
    tellChange(context, before, view);
    told.set(runId, view);
  }
  return false;
}

function tellChange({ io, json }: Context, before: LandingView | undefined, view: LandingView): void {
  if (json) {
    if (JSON.stringify(before) !== JSON.stringify(view)) io.json({ kind: 'landing', ...view });
    return;
  }
  const line = landingLine(view);
  if (before !== undefined && landingLine(before) === line) return;
  io.out(foreign(line));
  for (const more of gateLines(view)) io.out(`  ${foreign(more)}`);
}
