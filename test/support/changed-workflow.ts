/**
 * Builds a bundle of the workflows with a change: a module around one of their own; the rest is the built workflows as they are. Of the run workflow it
 * is a change of what it schedules: a timer before each attempt of a turn, behind `patched()` or, as one must never deploy it, bare.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const TEST_PATCH = 'test-change';

const CONDITION = { patched: `if (patched('${TEST_PATCH}')) `, bare: '' };

export interface ChangedWorkflow {
  readonly bundlePath: string;
  remove(): void;
}

export function bundleChangedWorkflow(change: keyof typeof CONDITION): Promise<ChangedWorkflow> {
  return bundleWith(
    'run/turn-try',
    `import { patched, sleep } from '@temporalio/workflow';
import * as unchanged from './unchanged-turn-try.js';
export async function tryTurn(...args) {
  ${CONDITION[change]}await sleep(1);
  return unchanged.tryTurn(...args);
}
`,
  );
}

/** `source` stands for the module of the built workflows, which it finds beside it as `unchanged-<module>.js`. */
export async function bundleWith(module: string, source: string): Promise<ChangedWorkflow> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-changed-workflow-'));
  const at = (...names: string[]) => join(folder, ...names);
  for (const part of ['workflows', 'protocol']) cpSync(join(ROOT, 'dist', part), at(part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
  writeFileSync(at('package.json'), '{"type":"module"}');
  renameSync(at(`workflows/${module}.js`), at('workflows', dirname(module), `unchanged-${basename(module)}.js`));
  writeFileSync(at(`workflows/${module}.js`), source);
  const bundlePath = at('bundle.js');
  await promisify(execFile)(process.execPath, [
    join(ROOT, 'dist/worker/bundle.js'),
    at('workflows/index.js'),
    bundlePath,
  ]);
  return { bundlePath, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
