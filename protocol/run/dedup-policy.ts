/** What the config of a repository says of tasks that resemble others, and by which layers they are compared. Source: S-08 to S-14. */

/** In the order in which they run. Source: S-08. */
export const LAYERS = ['keyword', 'trigram', 'tfidf', 'minhash'] as const;
export type Layer = (typeof LAYERS)[number];

/** Of each layer, the score from which on a pair is a hit. Unit: in (0, 1], inclusive. Source: S-10. */
export type Thresholds = Readonly<Record<Layer, number>>;

export const DEFAULT_THRESHOLDS: Thresholds = { keyword: 0.8, trigram: 0.55, tfidf: 0.6, minhash: 0.7 };

/** `judge`: equal text or the layer minhash blocks, and a person looks at other hits. `block`: any hit blocks. Source: S-13, S-14. */
export const ON_HIT = ['judge', 'block'] as const;

export interface DedupPolicy {
  readonly onHit: (typeof ON_HIT)[number];
  readonly thresholds: Thresholds;
  /** An agent is asked about what is alike but not refused. Source: S-09, S-17. */
  readonly ask: boolean;
}

export const DEFAULT_DEDUP: DedupPolicy = { onHit: 'judge', thresholds: DEFAULT_THRESHOLDS, ask: false };
