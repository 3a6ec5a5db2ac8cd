/**
 * Where what we start or load by path lies: programs that are processes of their own, and the bundle of the workflows. A bundle names bundles, a compiled
 * module those that are compiled; asked from the sources, as tests do, it names files that are not there.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each program by its place below the build, without extension. */
export const ENTRIES = {
  cli: 'client/cli/main',
  worker: 'worker/main',
  engine: 'worker/local-engine/main',
  'server-download': 'worker/local-engine/server-binary/download-main',
  guard: 'activities/process/guard/main',
  'git-runner': 'activities/git/runner/main',
  askpass: 'activities/git/forge/askpass/main',
  sandbox: 'activities/sandbox/main',
  acp: 'activities/agent/adapters/acp/main',
  model: 'activities/agent/adapters/model/main',
  scripted: 'activities/agent/scripted/main',
  trial: 'activities/agent/trial/main',
  'dedup-index': 'activities/admission/dedup/index/main',
  'forge-report': 'activities/forge/doctor/main',
} as const;

export type Entry = keyof typeof ENTRIES;

const HERE = dirname(fileURLToPath(import.meta.url));

const IS_BUNDLED = basename(HERE) === 'chunks';

/** The build, or the sources. Chunks lie as far below the build as this file. */
const ROOT = resolve(HERE, '../..');

/** Of our package.json. */
export const PACKAGE_ROOT = basename(ROOT) === 'dist' ? dirname(ROOT) : ROOT;

export const WORKFLOW_BUNDLE = join(ROOT, 'workflow-bundle.js');

/** Shown in sandboxes as this one file, so it is never bundled. */
export const INSIDE_MAIN = join(ROOT, 'activities/sandbox/inside.js');

/** The absolute path of a program's main file. */
export function entryFile(name: Entry): string {
  return join(ROOT, `${IS_BUNDLED ? join('programs', name) : ENTRIES[name]}.js`);
}
