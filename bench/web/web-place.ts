/** Where the page is measured: `sluice web` of the built command line beside the bench's engine, and a Chromium that is signed in. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../test/page/open-browser.js';
import { spawnProgram } from '../../test/support/cli-world.js';
import { holdOpen } from '../../test/support/close-at-end.js';
import { type ServedWeb, serveWebOf } from '../../test/support/served-web.js';
import type { Measuring } from '../plain-run.js';

/** Its own handlers would end the bench before its engine. */
const OURS_TO_END = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

export interface WebPlace {
  readonly web: ServedWeb;
  readonly address: string;
  /** Where runs of the bench's repository lie. */
  readonly folder: string;
}

export interface PagePlace extends WebPlace {
  readonly page: Page;
}

export async function openPlace({ host }: Measuring, work: (place: WebPlace) => Promise<void>): Promise<void> {
  const { repository, env, cliMain } = host;
  const start = (args: readonly string[]) =>
    spawnProgram([process.execPath, cliMain, ...args], { cwd: repository, env: definedOnly(env) });
  const serving = serveWebOf({ start }, repository);
  const stop = holdOpen(async () => (await serving).stop());
  try {
    const web = await serving;
    await work({ web, address: web.address, folder: join(repository, '.sluice/runs') });
  } finally {
    await stop();
  }
}

export function withPage(measuring: Measuring, work: (place: PagePlace) => Promise<void>): Promise<void> {
  return openPlace(measuring, async (place) => {
    const opening = openBrowser(['--enable-precise-memory-info'], OURS_TO_END);
    const close = holdOpen(async () => (await opening)[Symbol.asyncDispose]());
    try {
      const { browser } = await opening;
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      await context.addInitScript(`sessionStorage.setItem('sluice.key', ${JSON.stringify(place.web.key)})`);
      await work({ ...place, page: await context.newPage() });
    } finally {
      await close();
    }
  });
}

export interface PlantedRun {
  readonly runId: string;
  /** One line more in its journal. */
  append(message: string): void;
}

interface Planted {
  readonly count: number;
  readonly events: number;
  readonly name: string;
}

const BEGAN = Date.UTC(2026, 0, 1);

/** Closed ones, a second an event. */
export function plantRuns(folder: string, { count, events, name }: Planted): readonly PlantedRun[] {
  return Array.from({ length: count }, (_, n) => {
    const runId = `planted-${name}-${n}`;
    const runDir = join(folder, runId);
    const journal = join(runDir, 'events.jsonl');
    mkdirSync(runDir, { recursive: true });
    let seq = 0;
    const lineOf = (message: string) => {
      seq += 1;
      return `${JSON.stringify({ seq, timestamp: timeOf(seq), ...eventOf(seq), message })}\n`;
    };
    const lines = Array.from({ length: events }, (__, place) => lineOf(`event ${place}`));
    writeFileSync(journal, lines.join(''));
    writeFileSync(join(runDir, 'state.json'), JSON.stringify(viewOf(runId, { folder, n, events })));
    return { runId, append: (message) => appendFileSync(journal, lineOf(message)) };
  });
}

/** Turns, so that a timeline has as many spans as it can have. */
function eventOf(seq: number) {
  const data = { stage: 'executing', attempt: 1, durationMs: 500, agentMs: 400 };
  return { type: seq % 2 === 0 ? 'turn.completed' : 'turn.started', data };
}

function timeOf(second: number): string {
  return new Date(BEGAN + second * 1_000).toISOString();
}

function viewOf(runId: string, { folder, n, events }: { folder: string; n: number; events: number }) {
  const none = {
    stage: null,
    worktree: null,
    host: null,
    branch: null,
    baseBranch: null,
    baseSha: null,
    headSha: null,
  };
  const open = { pausedAtStatus: null, pendingApprovalId: null, approvalRequestedFromStatus: null, waiting: null };
  return {
    ...none,
    ...open,
    runId,
    workflowId: runId,
    task: 'planted',
    title: `Planted ${runId}`,
    preset: null,
    status: 'failed',
    outcome: 'failed',
    repo: join(folder, '../..'),
    reviewLoopCount: 0,
    maxReviewLoops: 2,
    finalDecision: null,
    verification: null,
    pauseRequested: false,
    blockedReason: null,
    error: 'planted',
    resumedFrom: null,
    merge: 'none',
    agent: null,
    startedAt: timeOf(n),
    updatedAt: timeOf(events),
    seq: events,
  };
}

/** The value below which that share of them lies. */
export function nthOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
