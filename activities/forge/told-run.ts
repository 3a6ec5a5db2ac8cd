/** What a pull request tells of its run: from the record, the server's answer, the journal and git. What cannot be read is left out, for it decides nothing. */
import { join } from 'node:path';
import { messageOf } from '../../config/system/error-code.js';
import { readForeignFile, textOf } from '../../config/system/foreign-file.js';
import { redact } from '../../protocol/text/redact.js';
import { computeMetrics } from '../../protocol/views/metrics.js';
import { findGuarded } from '../git/inspect/diff-check.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { readEvents } from '../journal/events-file.js';
import { redactorOf } from '../unit/run-redactor.js';
import type { AtForge } from './at-forge.js';
import type { ToldRun } from './pull-text.js';

export async function tellOfRun({ run, source, verdict }: AtForge): Promise<ToldRun> {
  const { record } = run;
  const { runId, policy, input, runDir, startedAt } = record;
  const events = await readEvents(join(runDir, 'events.jsonl')).catch(() => []);
  const { rounds, costMicroUsd } = computeMetrics(events, startedAt, startedAt);
  const { agent, model } = policy.stagePolicies.executing;
  const files = await filesOf({ run, source });
  const { evidence, head } = source;
  const told: ToldRun = {
    runId,
    task: input.task,
    agent,
    model: model ?? null,
    rounds,
    verdict: verdict ?? null,
    criteria: policy.checks.landing.commands,
    files: files.map(({ status, path }) => `${status} ${path}`),
    guarded: findGuarded(files, policy.guardedPaths),
    findings: await findingsOf(runDir),
    checks: evidence === null ? null : { outcome: evidence.outcome, commit: head },
    cost: costMicroUsd === null ? null : `$${(costMicroUsd / 1_000_000).toFixed(2)}`,
    decide: [`sluice land ${runId}`, `sluice landings drop ${runId}`, `sluice status ${runId}`],
  };
  // Texts become texts, so that it is what it was.
  return redactorOf(run).json({ ...told, task: redact(told.task) }) as unknown as ToldRun;
}

async function filesOf({ run, source }: Pick<AtForge, 'run' | 'source'>) {
  try {
    const git = await openRunGit(run.workplace.git);
    return (await git.diff(source.base.sha, source.head)).files;
  } catch (error) {
    return [{ status: 'unreadable', path: messageOf(error) }];
  }
}

/** Of the last review, as people read it there. */
async function findingsOf(runDir: string): Promise<readonly string[]> {
  const text = textOf(await readForeignFile(join(runDir, 'review.md'), { maxBytes: MAX_REVIEW_BYTES })) ?? '';
  const [told = ''] = text.split('\n## Raw\n', 1);
  return [...told.matchAll(/^### (.+)\n\n(.+)$/gm)].map(([, head = '', claim = '']) => `${head}: ${claim}`);
}

const MAX_REVIEW_BYTES = 1024 * 1024;
