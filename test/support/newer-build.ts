/**
 * A second build of the worker, as a later release would be: its guard speaks a newer protocol version, and its workflow may schedule something new
 * behind `patched()`. Everything else of it is the built worker as it is.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROTOCOL_VERSION } from '../../activities/process/wire.js';
import { bundleChangedWorkflow } from './changed-workflow.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface NewerBuild {
  /** The worker's entry. */
  readonly main: string;
  remove(): void;
}

export async function makeNewerBuild(workflow: 'changed' | 'same'): Promise<NewerBuild> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-newer-build-'));
  const at = (...names: string[]) => join(folder, ...names);
  cpSync(join(ROOT, 'dist'), at('dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
  cpSync(join(ROOT, 'package.json'), at('package.json'));
  const wire = at('dist/activities/process/wire.js');
  const text = readFileSync(wire, 'utf8');
  const newer = text.replace(`PROTOCOL_VERSION = ${PROTOCOL_VERSION}`, `PROTOCOL_VERSION = ${PROTOCOL_VERSION + 1}`);
  if (newer === text) throw new Error(`${wire} names no protocol version`);
  writeFileSync(wire, newer);
  if (workflow === 'changed') {
    const changed = await bundleChangedWorkflow('patched');
    cpSync(changed.bundlePath, at('dist/workflow-bundle.js'));
    changed.remove();
  }
  return { main: at('dist/worker/main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
