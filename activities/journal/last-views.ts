/**
 * Remembers the view that was last written of each run, so that an older one is never written over it. Of open runs all are kept, of closed ones
 * those that closed last: a worker lives for months, and a late batch of a closed run comes soon or never.
 */

import type { RunView } from '../../protocol/messages/run-view.js';
import { isTerminal } from '../../protocol/run/lifecycle.js';

export type LastView = Pick<RunView, 'seq' | 'updatedAt' | 'status'>;

export class LastViews {
  private readonly views = new Map<string, LastView>();

  constructor(private readonly maxClosed: number) {}

  of(runDir: string): LastView | undefined {
    return this.views.get(runDir);
  }

  set(runDir: string, { seq, updatedAt, status }: LastView): void {
    // The map's order is that of the last writes.
    this.views.delete(runDir);
    this.views.set(runDir, { seq, updatedAt, status });
    if (!isTerminal(status)) return;
    const closed = [...this.views].filter(([, view]) => isTerminal(view.status));
    for (const [path] of closed.slice(0, -this.maxClosed)) this.views.delete(path);
  }
}
