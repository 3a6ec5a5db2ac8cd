/** What a try of a step came to, for the record of its step and for the next try. Source: S-67, S-71, S-75. */
import { join } from 'node:path';
import { wholeTail } from '../../config/system/cut-middle.js';
import { withForeignFile } from '../../config/system/foreign-file.js';
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import { readExit, STDERR_FILE } from '../process/marks.js';
import { endOf } from '../steps/end-of-text.js';
import { readDiff } from '../steps/keep-diff.js';
import type { AtPlace } from '../unit/at-place.js';
import { OUTCOME_FILE, readSealedMark } from '../unit/place-record.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { redactorOf } from '../unit/run-redactor.js';
import type { StepTry } from '../unit/stage-progress.js';
import type { TurnJudgement } from './judge-turn.js';
import { readTurnText } from './turn-text.js';

/** Unit: bytes of what is kept in the record of a step. Source: S-75. */
const MAX_TAIL_BYTES = 8192;

/** Unit: bytes of the end of stderr; of stdout as much as any turn keeps. */
const MAX_STDERR_BYTES = 1024 * 1024;

/** `run`: as the step sees it. */
export async function describeTry(
  at: AtPlace,
  input: RunTurnInput,
  { run, result }: { readonly run: RunOnHost; readonly result: RunTurnResult },
): Promise<StepTry> {
  const { place } = at;
  const mark = readSealedMark<TurnJudgement>(place, OUTCOME_FILE);
  const judgement = mark.kind === 'answer' ? mark.value : null;
  const exit = readExit(place.dir);
  const { policy } = run.record;
  const { agent, model } = stagePolicyOf(policy, input);
  const { outcome, head } = result;
  const text = redactorOf(run).text(await readPrinted(at, input));
  const endedAt = judgement?.endedAt ?? new Date().toISOString();
  return {
    model: model ?? policy.agents[agent]?.model ?? null,
    conversationId: judgement?.conversation?.id ?? null,
    commits: head === input.expectedHead ? [] : madeBy(judgement, head),
    printed: text === '' ? null : await artifactsOf(at.deps, run).put(text, 'text/plain'),
    outputTail: endOf(text, MAX_TAIL_BYTES),
    durationMs: result.durationMs,
    tokens: result.tokens,
    startedAt: exit?.startedAt ?? endedAt,
    endedAt,
    error: 'why' in outcome ? outcome.why : null,
    diff: readDiff(at),
  };
}

/** All that it left on the branch, the agent's own among them where they are kept. Source: S-67. */
function madeBy(judgement: TurnJudgement | null, head: string): readonly string[] {
  const { made = [] } = judgement?.planned ?? {};
  return made.at(-1) === head ? made : [head];
}

/** What it said, and below it what it complained of. */
async function readPrinted({ deps, run, place }: AtPlace, input: RunTurnInput): Promise<string> {
  const said = readTurnText(deps.home, run, input.place);
  const complained = await withForeignFile(join(place.dir, STDERR_FILE), {}, async (file) => {
    const length = Math.min(file.size, MAX_STDERR_BYTES);
    return wholeTail(await file.piece({ from: file.size - length, length }));
  });
  return [said, complained ?? ''].filter((part) => part !== '').join('\n');
}
