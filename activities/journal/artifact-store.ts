/**
 * The run's artifacts: redacted texts in files named by their SHA-256, so that workflows hold references and a repeated store is a no-op.
 * They lie in the sluice home, outside the repository and the worktree, and stay until `sluice clean`.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Json } from '../../protocol/text/json.js';
import { type Redactor, SHAPES_ONLY } from '../../protocol/text/value-redactor.js';
import { type WriteOptions, writeFileAtomic } from './write-file.js';

export interface ArtifactStore {
  /** Effects: at most one file. Idempotency: by content; a damaged file of that name is written again. */
  put(text: string, mediaType: ArtifactRef['mediaType']): Promise<ArtifactRef>;
  /** The same of data, so that it is read again as what it was. Shape: as JSON has it. */
  putJson(data: unknown): Promise<ArtifactRef>;
  /** Errors: a plain Error where the file is missing or does not have its hash. */
  get(ref: ArtifactRef): Promise<string>;
}

/** `folder` lies below `options.root`. `redactor`: of the run. */
export function createArtifactStore(
  folder: string,
  options: WriteOptions,
  redactor: Redactor = SHAPES_ONLY,
): ArtifactStore {
  const write = async (redacted: string, mediaType: ArtifactRef['mediaType']) => {
    const content = Buffer.from(redacted);
    const ref = nameOf(content, mediaType);
    const path = join(folder, ref.sha256);
    const there = bytesOf(readForeignFileSync(path, { maxBytes: content.length }));
    if (there?.equals(content) !== true) await writeFileAtomic(path, content, options);
    return ref;
  };
  return {
    put: (text, mediaType) => write(redactor.text(text), mediaType),
    // The types of what is stored are interfaces, which do not say that they are JSON.
    putJson: (data) => write(JSON.stringify(redactor.json(data as Json)), 'application/json'),

    async get(ref) {
      if (!/^[0-9a-f]{64}$/.test(ref.sha256))
        throw new Error(`not the name of an artifact: ${JSON.stringify(ref.sha256)}`);
      // In place: the thread pool costs more than these small files.
      const content = bytesOf(readForeignFileSync(join(folder, ref.sha256), { maxBytes: ref.bytes }));
      if (content === null || hashOf(content) !== ref.sha256)
        throw new Error(`artifact ${ref.sha256} in ${JSON.stringify(folder)} is damaged`);
      return content.toString('utf8');
    },
  };
}

/** Of a text that is yet to be stored by its shapes alone. */
export function refOf(text: string, mediaType: ArtifactRef['mediaType']): ArtifactRef {
  return nameOf(Buffer.from(SHAPES_ONLY.text(text)), mediaType);
}

function nameOf(content: Buffer, mediaType: ArtifactRef['mediaType']): ArtifactRef {
  return { sha256: hashOf(content), bytes: content.length, mediaType };
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
