/** Where a pull request shows the head of a run: its number, address and what it waits for, wherever landings are listed. */
import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { createColors } from 'picocolors';
import { type ListedLanding, landingCalls } from '../../../client/calls/landing-calls.js';
import { newestPerWorkflow } from '../../../client/calls/listed-run.js';
import { listLandings } from '../../../client/cli/commands/landings.js';
import { renderView } from '../../../client/cli/commands/status.js';
import { renderRuns } from '../../../client/cli/find/run-table.js';
import type { Context } from '../../../client/cli/terminal/context.js';
import { withLandings } from '../../../client/look/find-landings.js';
import type { Sluice } from '../../../client/sluice.js';
import { stateText } from '../../../client/views/landing-text.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import { aView } from '../../support/gate-builder.js';
import { World } from '../../support/landing-world.js';

const URL = 'https://forge.example/acme/shop/pull/7';
const SHOWN = { runId: 'shop-1', merge: 'unmerged', base: 'main', pull: 7, url: URL };

/** Of a server whose landings have these memos. */
function landingsOf(...memos: readonly object[]): Promise<readonly ListedLanding[]> {
  const listed = memos.map((memo, n) => ({ workflowId: `landing:shop-${n + 1}`, memo, startTime: new Date(0) }));
  const client = { workflow: { list: () => listed } } as unknown as Client;
  return landingCalls(client, (call) => call()).landings();
}

async function linesOf(json: boolean, ...memos: readonly object[]): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  const io = { out: (line: string) => lines.push(line), json: (line: unknown) => lines.push(line) };
  const sluice = {
    landings: () => landingsOf(...memos),
    mergeQueues: async () => [],
    async [Symbol.asyncDispose]() {},
  };
  await listLandings({ io, json, home: '/none' } as unknown as Context, async () => sluice as unknown as Sluice);
  return lines;
}

describe('a head that a pull request shows', () => {
  it('is listed with its number, its address and what it waits for', async () => {
    const waits = ['checks_pending', 'review', 'draft', null].map((at) => ({ ...SHOWN, at }));

    expect(await linesOf(false, ...waits)).toEqual([
      `shop-1  is pull request 7, ${URL}: required checks are pending  main`,
      `shop-2  is pull request 7, ${URL}: a review is missing  main`,
      `shop-3  is pull request 7, ${URL}: it is a draft  main`,
      `shop-4  is pull request 7, ${URL}  main`,
    ]);
    expect(await linesOf(true, waits[0] ?? {})).toMatchObject([
      { kind: 'landing', runId: 'shop-1', pull: { number: 7, url: URL, at: 'checks_pending' } },
    ]);
  });

  it('keeps its address once it is queued, at a gate or merged, and has none where a memo has no pull request', async () => {
    const queued = { ...SHOWN, merge: 'queued', entry: 'waiting', why: 'its turn', at: 'ready' };
    const gated = { ...SHOWN, gate: 'checks_failed', why: `required checks of ${URL} failed`, at: 'checks_failed' };

    expect(await linesOf(false, queued, gated, { merge: 'merged' })).toEqual([
      'shop-1  waiting  main  its turn',
      `shop-2  waits for a person: checks failed  main  required checks of ${URL} failed`,
      'shop-3  merged',
    ]);
    expect((await landingsOf(queued, { merge: 'merged', pull: 'x' })).map(({ pull }) => pull?.url ?? null)).toEqual([
      URL,
      null,
    ]);
  });

  it('is told with what keeps it, where nobody is asked about that', () => {
    const pull = { number: 7, url: URL, at: 'review', limitedUntil: null } as const;
    const none = { entry: null, repair: null, commit: null, gate: null, paused: null, abandoned: null };
    const view = { runId: 'shop-1', merge: 'unmerged', base: 'main', pull, ...none } as const;

    expect(stateText({ ...view, waits: 'unauthorized: no token' })).toBe(
      'waits, and is tried again: unauthorized: no token',
    );
    expect(stateText({ ...view, waits: null })).toBe(`is pull request 7, ${URL}: a review is missing`);
    const repair = { runId: null, kind: 'turn', why: 'npm test is red' } as const;
    expect(stateText({ ...view, repair, waits: 'its host is away' })).toBe(
      'is to be mended: npm test is red; that waits, and is tried again: its host is away',
    );
  });

  it('is said of its run in the table of runs', async () => {
    const found = await newestPerWorkflow(
      [
        {
          workflowId: 'shop-1',
          status: { name: 'COMPLETED' },
          startTime: new Date(0),
          closeTime: new Date(1),
          memo: {},
        },
      ],
      10,
    );
    const runs = await withLandings(found, { landings: () => landingsOf({ ...SHOWN, at: 'checks_pending' }) });

    expect(runs[0]?.landing?.pull).toEqual({ number: 7, url: URL, at: 'checks_pending', limitedUntil: null });
    expect(renderRuns(runs, { columns: () => 120, colors: createColors(false) })).toContain('pull 7: checks pending');
  });

  it('has its address in the status of its run, whatever else is said of it', () => {
    const shown = {
      ...viewOf(World.queued().state),
      pull: { number: 7, url: URL, at: 'ready' as const, limitedUntil: null },
    };
    const textOf = (landing: typeof shown) => renderView(aView(), { landing }).join('\n');

    expect(textOf(shown)).toContain(`pull request 7, ${URL}`);
    expect(textOf({ ...shown, entry: null }).split(URL)).toHaveLength(2);
  });
});
