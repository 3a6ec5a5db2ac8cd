/** What is known of the tabs of a browser. One that crashed says no farewell, so that each counts only while it is heard. Pure. */
import type { Shown } from './tab-messages.js';

/** **Unit** ms. A tab says what it shows every two seconds, but a browser lets one that nobody sees do so once a minute. */
const HEARD_MS = { seen: 10_000, notSeen: 150_000 } as const;

interface Heard {
  readonly topics: readonly string[];
  readonly isSeen: boolean;
  /** **Unit** ms. */
  readonly at: number;
}

export class TabBook {
  /** Who asked for something last is last. */
  private readonly tabs = new Map<string, Heard>();

  /** `own`: the tab whose book it is, which counts always. */
  constructor(private readonly own: string) {}

  /** Answers whether that tab may lack something that it shows. `now`: ms of a clock that nobody sets back. */
  note({ kind, tab, topics, isSeen }: Shown, now: number): boolean {
    const known = this.heard(now).get(tab)?.topics;
    const mayLack = kind === 'wants' || known === undefined || known.join('\n') !== topics.join('\n');
    if (mayLack) this.tabs.delete(tab);
    this.tabs.set(tab, { topics, isSeen, at: now });
    return mayLack;
  }

  forget(tab: string): void {
    this.tabs.delete(tab);
  }

  /** What each tab shows. */
  wants(now: number): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.heard(now)].map(([tab, { topics }]) => [tab, topics]));
  }

  /** Somebody looks at a tab, so that nobody needs a notice. */
  isAnySeen(now: number): boolean {
    return [...this.heard(now).values()].some(({ isSeen }) => isSeen);
  }

  private heard(now: number): ReadonlyMap<string, Heard> {
    for (const [tab, { isSeen, at }] of this.tabs)
      if (tab !== this.own && now - at > HEARD_MS[isSeen ? 'seen' : 'notSeen']) this.tabs.delete(tab);
    return this.tabs;
  }
}
