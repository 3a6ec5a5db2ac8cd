/** When something of one owner may be written next: one clock of this process for all its activities, whatever they write. */

export class WriteTurns {
  /** By owner. Unit: ms of a clock that nobody moves. */
  private readonly next = new Map<string, number>();

  /** Unit: ms until it is the turn of whoever asks. A forge takes any case of an owner's letters. */
  take(owner: string, { now, gapMs }: { readonly now: number; readonly gapMs: number }): number {
    const key = owner.toLowerCase();
    const turn = Math.max(now, this.next.get(key) ?? now);
    this.next.set(key, turn + gapMs);
    return turn - now;
  }
}
