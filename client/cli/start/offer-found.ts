/**
 * `sluice run` in a repository without a config: says what its files tell (install, tests, agent). On a terminal it asks once whether to keep
 * that as .sluice/config.yaml; elsewhere nothing of it is used, since nobody trusted it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InitialAgent } from '../../../config/init/init-config.js';
import { textAt } from '../../repository.js';
import { askYesOrNo } from '../terminal/confirm.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { isInsideTurn } from '../terminal/person.js';
import { agentText, findAgents, initialAgent } from './found-agents.js';

export interface BareRepository {
  readonly root: string;
  readonly baseSha: string;
  readonly program: readonly [string, ...string[]] | null;
  /** From `--agent`. */
  readonly agent: string | null;
}

/** Effects: with the person's yes on a terminal, what `sluice init` does. */
export async function offerFound(context: Context, { root, baseSha, program, agent }: BareRepository): Promise<void> {
  const { io, json } = context;
  const { PROJECT_CONFIG } = await import('../../../config/home/home.js');
  if (existsSync(join(root, PROJECT_CONFIG)) || (await textAt(root, baseSha, PROJECT_CONFIG)) !== null) return;
  const [{ chooseAgent }, { detectProject }] = await Promise.all([
    import('../../../config/init/detect-agents.js'),
    import('../../../config/init/detect-project.js'),
  ]);
  const { setup, validation, seen } = detectProject(root);
  if (seen.length === 0 && (program !== null || agent !== null)) return;
  const found = program === null && agent === null ? await findAgents(io.env, [root]) : [];
  const chosen = chooseAgent(found);
  const rows = [
    ['install', setup.join(' && ')],
    ['tests', validation.join(' && ')],
    ['agent', program?.join(' ') ?? agent ?? found.map(agentText).join('; ')],
  ];
  io.err(`There is no ${PROJECT_CONFIG} here. Found${seen.length === 0 ? '' : ` in ${foreign(seen.join(', '))}`}:`);
  for (const [name = '', value = ''] of rows) io.err(`  ${name.padEnd(9)}${value === '' ? 'none' : foreign(value)}`);
  const initial = initialAgent(program, chosen);
  if (initial === null) return;
  if (chosen !== null) {
    io.err(`  Of these ${foreign(chosen.program)} would work here.`);
    if (chosen.login.kind === 'none') io.err(`  It has no login that could be found: ${foreign(chosen.makeLogin)}`);
  }
  if (io.interactive && !json && !isInsideTurn(io.env) && (await askYesOrNo(KEEP_IT, LEFT)))
    return keep(context, root, initial);
  if (program === null) io.err('Nobody trusted this yet; to keep it and use it: sluice init');
  else
    io.err(
      `This run uses none of the first two; to keep all three: sluice init --agent command -- ${foreign(program.join(' '))}`,
    );
}

const KEEP_IT = 'Write this to .sluice/config.yaml, trust it and use it?';
const LEFT = { initial: true, left: 'Nothing was written, and nothing was started.' };

async function keep({ home }: Context, root: string, agent: InitialAgent): Promise<void> {
  const [{ initConfig }, { ensureHome }, { trustConfig }] = await Promise.all([
    import('../../../config/init/init-config.js'),
    import('../../../config/home/home.js'),
    import('../../../config/home/trust.js'),
  ]);
  ensureHome(home);
  const result = initConfig(root, agent);
  if (result.kind === 'written') await trustConfig(home, root, result.text);
}
