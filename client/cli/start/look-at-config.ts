/** What `sluice doctor` says of the config of the repository it stands in: whether it can be read and counts, and whether its agents are there. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { lookAtRepository } from '../../repository.js';
import type { Context } from '../terminal/context.js';
import { type EffectiveConfig, effectiveConfig } from './choose-config.js';
import { type Finding, fail, pass, warn } from './doctor-finding.js';

export interface Project {
  readonly root: string;
  readonly branch: string | null;
  /** Or why it does not count. */
  readonly config: EffectiveConfig | RefusedError;
}

/** Null: where one stands is no repository. */
export async function readProject(context: Context): Promise<Project | null> {
  const look = await lookAtRepository(context.io.cwd);
  if (look.kind !== 'ok') return null;
  const { root, head: baseSha, branch } = look;
  // Nobody is asked for their trust, or told of what has not been: that is what `sluice config` is for.
  const quiet = { ...context, io: { ...context.io, interactive: false, err: () => undefined } };
  const question = { root, baseSha, runInput: {}, program: null, toLook: true };
  const config = await effectiveConfig(quiet, question).catch((error: unknown) => {
    if (error instanceof RefusedError) return error;
    throw error;
  });
  return { root, branch, config };
}

/** Of this shell: the worker that runs them may have another PATH. */
export async function lookAtConfig({ io }: Context, { root, config }: Project): Promise<readonly Finding[]> {
  if (config instanceof RefusedError) return [await refused(config)];
  const [{ findProgramTrouble, listUsedAgents }, { PROJECT_CONFIG }] = await Promise.all([
    import('../../../config/agents/used-agents.js'),
    import('../../../config/home/home.js'),
  ]);
  const { agents } = config.policy;
  if (Object.keys(agents).length === 0) return [warn('config', 'no agent is configured', 'sluice init')];
  const places = { path: io.env['PATH'] ?? '', forbidden: [root] };
  const missing = [...listUsedAgents(config.policy)].flatMap((name) => {
    const agent = agents[name];
    const why = agent === undefined ? 'it is not configured' : findProgramTrouble(agent, places);
    const mend = `Install it, or correct agents.${name}.command in ${PROJECT_CONFIG}, then: sluice config`;
    return why === null ? [] : [fail(`agent ${name}`, why, mend)];
  });
  return missing.length > 0 ? missing : [pass('config', 'can be used, and the programs of its agents are there')];
}

async function refused(error: RefusedError): Promise<Finding> {
  const { ConfigError } = await import('../../../config/system/config-error.js');
  const { what, why } = error.parts;
  // A finding is one line.
  const [mend = ''] = error.parts.mend.split('\n');
  if (error instanceof ConfigError && error.type === 'NotTrusted') return warn('config', what, mend);
  return fail('config', why === '' ? what : `${what}; ${why.split('\n')[0]}`, mend);
}
