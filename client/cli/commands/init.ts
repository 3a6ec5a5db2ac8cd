/**
 * `sluice init`: writes a minimal config, trusts what it wrote, puts the repository on this host's list. A config that is there stays as it is,
 * but for the agent that `--agent` adds to it.
 */

import { ensureHome, PROJECT_CONFIG } from '../../../config/home/home.js';
import { trustConfig, trustOf } from '../../../config/home/trust.js';
import { type AddedAgent, addAgent } from '../../../config/init/add-agent.js';
import { chooseAgent } from '../../../config/init/detect-agents.js';
import { FIRST_AGENT, type InitResult, initConfig } from '../../../config/init/init-config.js';
import { hashOfText } from '../../../config/system/config-text.js';
import { serveRepository } from '../server/host-config.js';
import { checkProgram } from '../start/check-program.js';
import { checkRepository } from '../start/check-repository.js';
import { agentText, findAgents, initialAgent, type VersionedAgent } from '../start/found-agents.js';
import { programOf, refusal } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export interface InitOptions {
  /** `command`, or the program of a coding CLI that is known. */
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
  const chosen = program === null ? chosenOf(options.agent, found) : null;
  const agent = initialAgent(program, chosen);
  ensureHome(home);
  const result = initConfig(root, agent);
  if (result.kind === 'written') await trustConfig(home, root, result.text);
  await serveRepository(home, root);
  if (result.kind === 'exists') {
    const added = options.agent === undefined || agent === null ? null : addAgent(root, agent);
    return tellExisting(context, { root, path: result.path, added });
  }
  if (json)
    io.json({
      kind: result.kind,
      path: result.path,
      repo: root,
      hash: result.hash,
      agent: agent === null ? null : FIRST_AGENT,
    });
  else tellWritten(context, { root, result, found, chosen, hasAgent: agent !== null });
  return EXIT.done;
}

/** Errors: RefusedError where the named one is not here. */
function chosenOf(asked: string | undefined, found: readonly VersionedAgent[]): VersionedAgent | null {
  if (asked === undefined) return chooseAgent(found);
  const named = found.find(({ program }) => program === asked);
  if (named !== undefined) return named;
  const here = found.map(({ program }) => program).join(', ');
  throw refusal(
    `--agent is "${foreign(asked).slice(0, 60)}", and no coding CLI of that name is here`,
    here === '' ? 'no known coding CLI is on PATH' : `found on PATH: ${here}`,
    'sluice init --agent command -- <program> [args...]',
  );
}

interface Existing {
  readonly root: string;
  readonly path: string;
  readonly added: AddedAgent | null;
}

/** Effects: what was added to a text that the person trusts is trusted too. */
async function tellExisting(context: Context, { root, path, added }: Existing): Promise<ExitCode> {
  const { io, json, home } = context;
  const isAdded = added?.kind === 'added';
  const isTrusted = isAdded && trustOf(home, root).isTrusted(hashOfText(added.before));
  if (isTrusted) await trustConfig(home, root, added.text);
  if (json) {
    const [hash, kind] = isAdded ? [added.hash, 'added'] : [null, 'exists'];
    io.json({ kind, path, repo: root, hash, agent: added?.name ?? null });
    return EXIT.done;
  }
  const use = added === null || added.isDefault ? '' : ` --agent ${added.name}`;
  if (added === null)
    io.out(`${PROJECT_CONFIG} is there already and stays as it is; this host serves ${foreign(root)}.`);
  else if (added.kind === 'there') io.out(`${PROJECT_CONFIG} names this agent already: ${foreign(added.name)}.`);
  else io.out(`Added the agent ${added.name} to ${PROJECT_CONFIG}; this host serves ${foreign(root)}.`);
  if (isTrusted) io.out(`Next: sluice run "<task>"${use}`);
  else {
    io.out('Look at it and trust it: sluice trust');
    if (use !== '') io.out(`Then: sluice run "<task>"${use}`);
  }
  return EXIT.done;
}

interface Written {
  readonly root: string;
  readonly result: Extract<InitResult, { kind: 'written' }>;
  readonly found: readonly VersionedAgent[];
  readonly chosen: VersionedAgent | null;
  readonly hasAgent: boolean;
}

function tellWritten({ io }: Context, { root, result, found, chosen, hasAgent }: Written): void {
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
    hasAgent ? 'Next: sluice run "<task>"' : 'Next: name an agent: sluice init --agent command -- <program> [args...]',
  );
}
