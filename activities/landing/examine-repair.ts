/** Looks whether what a run made of a conflict may land without a person's look: no other file, no marker, something of both sides in each file. Effects: none. */
import { randomUUID } from 'node:crypto';
import type { ExamineRepairInput, ExamineRepairResult } from '../../protocol/actors/landing.js';
import { findUnresolved } from '../git/merge/repair-commits.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { openLandingGit } from './plan-repair.js';
import { readRunOfQueue } from './queue-place.js';

const MAX_FILES = 50;

export function createExamineRepair(deps: HostDeps): (input: ExamineRepairInput) => Promise<ExamineRepairResult> {
  return (input) =>
    attend(deps, randomUUID(), async () => {
      const run = readRunOfQueue(deps.home, input);
      const start = run.record.input.rewind?.onto?.start;
      if (start === undefined) return { left: null };
      const left = await findUnresolved(await openLandingGit(run), { start, head: input.head });
      if (left === null) return { left };
      const why = `what ${input.runId} made of the conflict needs a person: ${left.why}`;
      return { left: { why, files: left.files.slice(0, MAX_FILES) } };
    });
}
