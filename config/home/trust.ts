/**
 * Which config texts a person trusts to start programs, per repository. Trust is of a hash, so any change of the text asks
 * again; the trusted text is kept, so that a run can use it by hash. Garbage in trust.json is an error, never an empty list.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hashOfText } from '../system/config-text.js';
import { replaceFile } from '../system/replace-file.js';
import { homePaths } from './home.js';
import { readJsonFile, readTextFile, updateJsonFile } from './private-file.js';

export const HASH = /^[0-9a-f]{64}$/;

const entrySchema = z.strictObject({ repo: z.string().min(1), hash: z.string().regex(HASH), trustedAt: z.string() });

interface Stored {
  readonly version: 1;
  readonly trusted: readonly TrustEntry[];
}

const shape: { schema: z.ZodType<Stored>; empty: Stored } = {
  schema: z.strictObject({ version: z.literal(1), trusted: z.array(entrySchema).readonly() }),
  empty: { version: 1, trusted: [] },
};

/** **Shape** `repo` is a real path; `trustedAt` is ISO 8601 in UTC. */
export type TrustEntry = z.infer<typeof entrySchema>;

/** What `selectProjectConfig` asks. `textOf` answers a kept text only if its hash is right. */
export interface Trust {
  isTrusted(hash: string): boolean;
  textOf(hash: string): string | null;
}

/** Trusts a text for one repository and keeps it. Answers its hash. **Effects** trust.json, configs/<hash>.yaml. */
export async function trustConfig(root: string, repo: string, text: string): Promise<string> {
  const paths = homePaths(root);
  const hash = hashOfText(text);
  const entry: TrustEntry = { repo: realpathSync(repo), hash, trustedAt: new Date().toISOString() };
  replaceFile(join(paths.configsDir, `${hash}.yaml`), text);
  await updateJsonFile(paths.trust, shape, ({ trusted }): Stored => {
    const isThere = trusted.some((known) => known.repo === entry.repo && known.hash === hash);
    return { version: 1, trusted: isThere ? trusted : [...trusted, entry] };
  });
  return hash;
}

/** Takes back one hash, or with null everything, of a repository. Answers what was taken back; kept texts stay for open runs. */
export async function revokeTrust(root: string, repo: string, hash: string | null): Promise<readonly TrustEntry[]> {
  const realRepo = realPathOf(repo);
  const isMeant = (entry: TrustEntry) => entry.repo === realRepo && (hash === null || entry.hash === hash);
  let revoked: readonly TrustEntry[] = [];
  await updateJsonFile(homePaths(root).trust, shape, ({ trusted }): Stored => {
    revoked = trusted.filter(isMeant);
    return { version: 1, trusted: trusted.filter((entry) => !isMeant(entry)) };
  });
  return revoked;
}

export function listTrust(root: string): readonly TrustEntry[] {
  return readJsonFile(homePaths(root).trust, shape.schema, shape.empty).trusted;
}

/** The trust of one repository, as of now. **Errors** ConfigError where trust.json holds garbage. */
export function trustOf(root: string, repo: string): Trust {
  const realRepo = realPathOf(repo);
  const hashes = new Set(
    listTrust(root)
      .filter((entry) => entry.repo === realRepo)
      .map(({ hash }) => hash),
  );
  return {
    isTrusted: (hash) => hashes.has(hash),
    textOf: (hash) => {
      if (!HASH.test(hash)) return null;
      const text = readTextFile(join(homePaths(root).configsDir, `${hash}.yaml`));
      return text !== null && hashOfText(text) === hash ? text : null;
    },
  };
}

/** A repository that is gone keeps the path that it was trusted under. */
function realPathOf(repo: string): string {
  try {
    return realpathSync(repo);
  } catch {
    return repo;
  }
}
