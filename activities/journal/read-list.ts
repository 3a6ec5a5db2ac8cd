import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { ArtifactStore } from './artifact-store.js';

/**
 * A list that an activity of ours stored. Redaction of the whole text may have cut through its JSON: then it is empty, since a prompt without it
 * is better than a turn that can never start.
 */
export async function readList<Entry>(artifacts: ArtifactStore, ref: ArtifactRef | null): Promise<readonly Entry[]> {
  if (ref === null) return [];
  const text = await artifacts.get(ref);
  try {
    const value: unknown = JSON.parse(text);
    // The hash of the reference vouches for the type.
    return Array.isArray(value) ? (value as Entry[]) : [];
  } catch {
    return [];
  }
}
