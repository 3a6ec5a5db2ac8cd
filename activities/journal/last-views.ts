/**
 * Remembers the view that was last written of each journal's owner, so that an older one is never written over it. Of open owners all are kept, of closed
 * ones those that closed last: a worker lives for months, and a late batch of a closed one comes soon or never.
 */

/** What the journal reads of its owner's view. */
export interface OwnerView {
  readonly seq: number;
  readonly updatedAt: string;
}

export interface LastView extends OwnerView {
  readonly isClosed: boolean;
}

export class LastViews {
  private readonly views = new Map<string, LastView>();

  constructor(private readonly maxClosed: number) {}

  of(runDir: string): LastView | undefined {
    return this.views.get(runDir);
  }

  set(runDir: string, { seq, updatedAt, isClosed }: LastView): void {
    // The map's order is that of the last writes.
    this.views.delete(runDir);
    this.views.set(runDir, { seq, updatedAt, isClosed });
    if (!isClosed) return;
    const closed = [...this.views].filter(([, view]) => view.isClosed);
    for (const [path] of closed.slice(0, -this.maxClosed)) this.views.delete(path);
  }
}
