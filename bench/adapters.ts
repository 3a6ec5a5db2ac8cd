/**
 * `claudeTurnMs`, `codexTurnMs`, `opencodeTurnMs`, `acpTurnMs`: a turn of a coding CLI without the CLI's own time, from its activity's schedule to the end of a run
 * of that one stage. What a person pays for having the engine between them and their agent.
 */
import type { RunResult } from '../protocol/messages/messages.js';
import { STUBBED, type Stubbed } from './cli-stubs.js';
import { activityTimes, add, type Measuring, measureBaselines, startRun } from './plain-run.js';

const FIGURE = {
  'claude-code': 'claudeTurnMs',
  codex: 'codexTurnMs',
  opencode: 'opencodeTurnMs',
  acp: 'acpTurnMs',
} as const satisfies Readonly<Record<Stubbed, string>>;

/** The adapters by turns, so that a busy minute meets all of them. */
export async function measureAdapters(measuring: Measuring, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await measureBaselines(measuring);
    for (const stub of STUBBED) await measureTurn(measuring, stub, `bench-${stub}-${n}`);
  }
}

async function measureTurn({ host, samples }: Measuring, stub: Stubbed, runId: string): Promise<void> {
  const handle = await startRun(host, runId, { stageList: ['planning'], agent: `stub-${stub}` });
  const { error } = (await handle.result()) as RunResult;
  if (error !== null) throw new Error(`${runId} failed: ${error}`);
  const { events } = await handle.fetchHistory();
  const turn = activityTimes(events ?? []).find(({ name }) => name === 'runTurn');
  const own = host.stubs.ownMs(stub).at(-1);
  if (turn === undefined || own === undefined) throw new Error(`${runId} had no turn of its agent`);
  add(samples, FIGURE[stub], turn.ms - own);
}
