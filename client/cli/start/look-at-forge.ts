/**
 * What `sluice doctor` says of the forge of the repository it stands in, where a config that counts names one. Another program asks it, which finds the token as the worker does, in the
 * environment of this shell: an engine that was started from another may have another.
 */
import { entryFile } from '../../../config/system/entries.js';
import type { ForgeReport } from '../../../protocol/actors/forge-report.js';
import type { ForgePolicy } from '../../../protocol/run/forge-policy.js';
import { DEFAULT_LANDING, type LandingMethod } from '../../../protocol/run/landing-policy.js';
import { lookAtRepository } from '../../repository.js';
import type { Context } from '../terminal/context.js';
import { askProgram } from './ask-program.js';
import { effectiveConfig } from './choose-config.js';
import { type Finding, fail } from './doctor-finding.js';
import { forgeFindings } from './forge-findings.js';

interface ConfiguredForge {
  readonly forge: ForgePolicy;
  readonly method: LandingMethod;
  readonly root: string;
  readonly branch: string | null;
}

/** `entry`: arguments of node that start the program where that of the build is not there. */
export async function lookAtForge(
  context: Context,
  entry: readonly [string, ...string[]] = [entryFile('forge-report')],
): Promise<readonly Finding[]> {
  const configured = await findForge(context);
  if (configured === null) return [];
  const { forge, method, root, branch } = configured;
  const { repo, apiUrl } = forge;
  const question = { apiUrl, repo, branch, forbidden: [root] };
  // Written by the program of the same version.
  const report = (await askProgram(context.io, entry, question)) as ForgeReport | null;
  if (report === null) return [fail('forge', 'the look at it was ended before it had an answer', 'sluice doctor')];
  return forgeFindings(report, { repo: repo ?? '', method });
}

/** Null: no forge. A config that is wrong, or that nobody trusted, names none. */
async function findForge(context: Context): Promise<ConfiguredForge | null> {
  const look = await lookAtRepository(context.io.cwd);
  if (look.kind !== 'ok') return null;
  const { root, head: baseSha, branch } = look;
  // Nobody is asked for their trust, or told of what has not been: that is what `sluice config` is for.
  const quiet = { ...context, io: { ...context.io, interactive: false, err: () => undefined } };
  const question = { root, baseSha, runInput: {}, program: null, toLook: true };
  const config = await effectiveConfig(quiet, question).catch(() => null);
  if (config === null || config.policy.forge.repo === null) return null;
  const { forge, landing } = config.policy;
  return { forge, method: { ...DEFAULT_LANDING, ...landing }.method, root, branch };
}
