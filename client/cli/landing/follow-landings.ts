/** Follows landings until nothing more happens by itself: one line, or one object with --json, for each change. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LandingView } from '../../../protocol/actors/landing.js';
import type { Sluice } from '../../sluice.js';
import { gateLines, isSettled, landingLine } from '../../views/landing-text.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';

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

/** Null when the person stopped first. `told` is filled. */
export async function followLandings(
  context: Context,
  sluice: Pick<Sluice, 'landing'>,
  { runIds, told, taken }: Followed,
): Promise<readonly LandingView[] | null> {
  const { stop } = context.io;
  for (;;) {
    const views: LandingView[] = [];
    for (const runId of runIds) {
      const before = told.get(runId);
      const isClosed = before?.merge === 'merged' || before?.merge === 'abandoned';
      // No worker answers for a moment: it is asked again.
      const view = isClosed ? before : ((await sluice.landing(runId).catch(() => null)) ?? before);
      if (stop.aborted) return null;
      if (view === undefined) continue;
      tellChange(context, before, view);
      told.set(runId, view);
      views.push(view);
    }
    const isOver = (view: LandingView) => isSettled(view) && !(view.merge === 'queued' && taken.has(view.commit ?? ''));
    if (views.length === runIds.length && views.every(isOver)) return views;
    await delay(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return null;
  }
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
