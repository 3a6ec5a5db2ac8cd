/** A host with one closed run, whose repository lies on a fake forge of its own. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type HostOnForge, type OnForgeOptions, openHostOnForge } from '../../forge-suite/host-on-forge.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { makeRepository, tempFolder } from '../git/repository-fixture.js';

/** Nothing waits here for a second to pass. */
export const NO_WAIT = { writeGapMs: 0, staleWaitMs: 1 };

export type ForgeWorld = HostOnForge & { readonly forge: FakeForge };

interface ForgeWorldOptions extends Pick<OnForgeOptions, 'labels' | 'landing' | 'commands' | 'file' | 'guardedPaths'> {
  /** Of another host, whose forge it is too. */
  readonly beside?: ForgeWorld | null;
}

export async function openForgeWorld({ beside = null, ...options }: ForgeWorldOptions = {}): Promise<ForgeWorld> {
  const forge = beside?.forge ?? (await openFakeForge(join(tempFolder(), 'forge')));
  const root = beside === null ? makeRepository({ 'a.txt': 'one\n' }) : cloneOf(forge);
  if (beside === null)
    execFileSync('git', ['push', '--quiet', forge.state.bare, 'HEAD:refs/heads/main'], { cwd: root });
  const which = { apiUrl: forge.apiUrl, repo: forge.state.name, environment: { GH_TOKEN: forge.token }, ...NO_WAIT };
  const who = beside === null ? {} : { runId: 'run-2', hostId: 'host-2', file: 'c.txt' };
  // Its head is what a later change makes it.
  return Object.assign(await openHostOnForge(which, { ...who, ...options, root }), { forge });
}

function cloneOf({ state }: FakeForge): string {
  const root = join(tempFolder(), 'project');
  execFileSync('git', ['clone', '--quiet', state.bare, root]);
  return root;
}
