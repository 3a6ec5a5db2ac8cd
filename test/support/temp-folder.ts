/** Folders in the temp directory of the machine, by their real paths; all are removed after the tests of the file, or of the block. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-test-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A fresh one at each call. */
export function tempFolders(): () => string {
  const base = tempFolder();
  return () => mkdtempSync(join(base, 't-'));
}
