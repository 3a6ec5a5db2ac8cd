/**
 * What `sluice doctor` says of the forge of a repository, where a config that counts names one. Another program asks it, which finds the token as the worker does, in the
 * environment of this shell: an engine that was started from another may have another.
 */
import { forgeAddress } from '../../../config/keys/forge-address.js';
import { entryFile } from '../../../config/system/entries.js';
import type { ForgeReport } from '../../../protocol/actors/forge-report.js';
import { DEFAULT_LANDING } from '../../../protocol/run/landing-policy.js';
import type { Context } from '../terminal/context.js';
import { askProgram } from './ask-program.js';
import { type Finding, fail } from './doctor-finding.js';
import { forgeFindings } from './forge-findings.js';
import type { Project } from './look-at-config.js';

/** `entry`: arguments of node that start the program where that of the build is not there. */
export async function lookAtForge(
  { io }: Context,
  { root, branch, config }: Project,
  entry: readonly [string, ...string[]] = [entryFile('forge-report')],
): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const { forge, landing } = config.policy;
  const { repo, apiUrl } = forge;
  if (repo === null) return [];
  const question = { apiUrl, repo, branch, forbidden: [root] };
  // Written by the program of the same version.
  const report = (await askProgram(io, entry, question)) as ForgeReport | null;
  if (report === null) return [fail('forge', 'the look at it was ended before it had an answer', 'sluice doctor')];
  const host = forgeAddress(apiUrl)?.host ?? apiUrl;
  return forgeFindings(report, { repo, host, method: { ...DEFAULT_LANDING, ...landing }.method });
}
