/** `sluice init`: writes a minimal config, trusts what it wrote, puts the repository on this host's list. A config that is there stays as it is. */

import { ensureHome, PROJECT_CONFIG } from '../../../config/home/home.js';
import { trustConfig } from '../../../config/home/trust.js';
import { chooseAgent } from '../../../config/init/detect-agents.js';
import { initConfig } from '../../../config/init/init-config.js';
import { serveRepository } from '../server/host-config.js';
import { checkProgram } from '../start/check-program.js';
import { checkRepository } from '../start/check-repository.js';
import { agentText, findAgents, initialAgent } from '../start/found-agents.js';
import { programOf } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface InitOptions {
  readonly agent?: string | undefined;
  /** Behind `--`. */
  readonly program: readonly string[];
}

export async function init(context: Context, options: InitOptions): Promise<ExitCode> {
  personOf(context);
  const { io, json, home } = context;
  const named = programOf(options, 'init');
  const { root } = await checkRepository(context, {});
  const program = checkProgram(context, named, root);
  const found = program === null ? await findAgents(io.env, [root]) : [];
  const chosen = chooseAgent(found);
  ensureHome(home);
  const result = initConfig(root, initialAgent(program, chosen));
  if (result.kind === 'written') await trustConfig(home, root, result.text);
  await serveRepository(home, root);
  if (json) {
    io.json({ kind: result.kind, path: result.path, repo: root, hash: result.kind === 'written' ? result.hash : null });
    return EXIT.done;
  }
  if (result.kind === 'exists') {
    io.out(`${PROJECT_CONFIG} is there already and stays as it is; this host serves ${foreign(root)}.`);
    io.out('Look at it and trust it: sluice trust');
    return EXIT.done;
  }
  io.out(`Wrote and trusted ${PROJECT_CONFIG}; this host serves ${foreign(root)}.`);
  if (result.detected.seen.length > 0) io.out(`Read from: ${foreign(result.detected.seen.join(', '))}`);
  for (const agent of found)
    io.out(foreign(`Found ${agentText(agent)}${agent.path === chosen?.path ? ': it works here' : ''}`));
  io.out('');
  io.out(foreignBlock(result.text.trimEnd()));
  if (chosen !== null && chosen.login.kind === 'none')
    io.out(foreign(`It has no login that could be found: ${chosen.makeLogin}`));
  io.out('');
  io.out(
    program === null && chosen === null
      ? 'Next: name an agent there (or --agent command -- <program>), then: sluice trust && sluice run "<task>"'
      : 'Next: sluice run "<task>"',
  );
  return EXIT.done;
}
