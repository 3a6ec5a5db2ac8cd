/** `it` where bubblewrap is there and works. Elsewhere the test is skipped and its reason printed, but not in CI where it is there and does not work: there it runs, and fails. */
import { it } from '@jest/globals';
import { lookForSandbox } from '../../config/system/sandbox-program.js';

const found = await lookForSandbox({ path: process.env['PATH'] ?? '', forbidden: [] });

const isThere = found.kind === 'works' || !found.why.includes('not on PATH');

export const mayTrySandbox = found.kind === 'works' || (process.env['CI'] !== undefined && isThere);

if (!mayTrySandbox && found.kind === 'fails')
  process.stderr.write(`skipped: what is tried in a sandbox: ${found.why}\n`);

// `it.skip` lacks only the members that make no sense for a skipped test.
export const itInSandbox: typeof it = mayTrySandbox ? it : (it.skip as typeof it);
