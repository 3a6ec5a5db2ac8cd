/** Where the repository lies for others: the forge that pull requests are made on. A config file says it, and one of a project only with trust. */

export const FORGE_KINDS = ['github'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

export interface ForgePolicy {
  readonly kind: ForgeKind;
  /** `owner/name`; null: there is no forge, and nothing of one is done. */
  readonly repo: string | null;
  /** Of its REST interface; where its git is follows from it. */
  readonly apiUrl: string;
  /** Added to each pull request; none is ever taken away. */
  readonly labels: readonly string[];
  /** Unit: ms. How long required checks may be pending. Source: T-64. */
  readonly checksTimeoutMs: number;
  /** How many runs repair what a review asks for or required checks show before a person is asked. */
  readonly reactRounds: number;
}

export const DEFAULT_FORGE: ForgePolicy = {
  kind: 'github',
  repo: null,
  apiUrl: 'https://api.github.com',
  labels: [],
  checksTimeoutMs: 60 * 60_000,
  reactRounds: 2,
};
