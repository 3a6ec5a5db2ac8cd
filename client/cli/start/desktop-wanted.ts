/**
 * Whether a person who watches a run wants notices of the desktop: `notify` of the project's or their own config, `desktop` where none says.
 * The text of the checkout counts as it is: to switch a notice off nobody's trust is needed.
 */
import { join } from 'node:path';
import type { Policy } from '../../../protocol/run/policy.js';
import type { Context } from '../terminal/context.js';

export function wantsDesktop({ notify }: Pick<Policy, 'notify'>): boolean {
  return notify.some(({ kind }) => kind === 'desktop');
}

/** True where the config cannot be read: another command says what is wrong with it. */
export async function desktopWanted({ io }: Context, repo: string | null): Promise<boolean> {
  if (!io.live) return false;
  const [{ readConfigFile }, { PROJECT_CONFIG, userConfigPath }, { resolvePolicy }] = await Promise.all([
    import('../../../config/system/config-text.js'),
    import('../../../config/home/home.js'),
    import('../../../config/resolve/resolve-policy.js'),
  ]);
  try {
    const userPath = userConfigPath(io.env);
    const user = readConfigFile(userPath, userPath);
    const project = repo === null ? null : readConfigFile(join(repo, PROJECT_CONFIG), PROJECT_CONFIG);
    const trusted = project === null ? null : { ...project, isTrusted: true };
    const { policy } = resolvePolicy({ project: trusted, user, toLook: true });
    return wantsDesktop(policy);
  } catch {
    return true;
  }
}
