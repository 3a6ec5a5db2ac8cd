/** Which runs wait for somebody to decide. Pure. */
import { isFromFiles, type ListedRun } from '../calls/listed-run.js';

/** Runs whose gate or question a person must decide, their landing's too; and those that stay paused until a person resumes them. */
export function waitsForPerson(run: Pick<ListedRun, 'status' | 'closedAt' | 'execution' | 'landing'>): boolean {
  if ((run.landing?.gate ?? null) !== null || run.landing?.paused === true) return true;
  return (
    run.closedAt === null && !isFromFiles(run) && (run.status === 'waiting_for_approval' || run.status === 'paused')
  );
}
