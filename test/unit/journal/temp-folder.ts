/** A temp folder of a test file, with a fresh folder below it for each test; all are removed afterwards. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

export function tempFolders(): () => string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-journal-')));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  return () => mkdtempSync(join(base, 't-'));
}
