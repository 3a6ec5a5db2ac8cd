/**
 * Which project config a run uses, checked on this side so that a wrong or untrusted one is refused before anything starts.
 * The file at the base commit counts; where the checkout has another one, that text is used by its hash, and the person is told.
 */
import { join } from 'node:path';
import type { ResolvedPolicy } from '../../../config/resolve/resolve-policy.js';
import type { ConfigChoice } from '../../../config/resolve/select-config.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import type { Stage } from '../../../protocol/run/stages.js';
import { projectAt, textAt } from '../../repository.js';
import { askYesOrNo } from '../terminal/confirm.js';
import type { Context } from '../terminal/context.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { isInsideTurn } from '../terminal/person.js';
import { wantsDesktop } from './desktop-wanted.js';

export interface ConfigQuestion {
  readonly root: string;
  readonly baseSha: string;
  readonly runInput: Pick<RunInput, 'preset' | 'policy'>;
  /** Of `--agent command -- …`. */
  readonly program: readonly [string, ...string[]] | null;
  /** No run follows: a config without an agent is shown as it is. */
  readonly toLook?: boolean;
}

export interface ChosenConfig {
  /** For the start input: the text of the checkout, where it is not the one at the base commit. */
  readonly configHash: string | null;
  readonly runsDir: string;
  readonly stages: readonly Stage[];
  readonly desktop: boolean;
  /** What its backlog is called. */
  readonly project: string;
  /** It has gates, and where nobody attends they expire at once. */
  readonly gatesExpire: boolean;
}

export interface EffectiveConfig extends ResolvedPolicy {
  readonly configHash: string | null;
}

/** Errors: ConfigError, with the place of what is wrong, or naming `sluice trust`. Effects: trusts a text where the person says so. */
export async function chooseConfig(context: Context, question: ConfigQuestion): Promise<ChosenConfig> {
  const { policy, configHash } = await effectiveConfig(context, question);
  const { gates, holdAtCompletion, attended, runsDir, stages } = policy;
  const hasGate = gates.stages.length > 0 || holdAtCompletion;
  const gatesExpire = hasGate && gates.unattendedExpireMs === 0 && attended !== true;
  const project = policy.project.name ?? (await projectAt(question.root));
  return { configHash, runsDir, stages, desktop: wantsDesktop(policy), project, gatesExpire };
}

/** The policy as the host will resolve it, and where each value comes from. */
export async function effectiveConfig(
  context: Context,
  { root, baseSha, runInput, program, toLook = false }: ConfigQuestion,
): Promise<EffectiveConfig> {
  const [{ readConfigFile }, { PROJECT_CONFIG, userConfigPath }, { resolvePolicy }] = await Promise.all([
    import('../../../config/system/config-text.js'),
    import('../../../config/home/home.js'),
    import('../../../config/resolve/resolve-policy.js'),
  ]);
  const userPath = userConfigPath(context.io.env);
  const user = readConfigFile(userPath, userPath);
  const working = readConfigFile(join(root, PROJECT_CONFIG), PROJECT_CONFIG);
  const baseText = await textAt(root, baseSha, PROJECT_CONFIG);
  const { choice, differs } = await select(context, { root, baseText, workingText: working?.text ?? null });
  const others = { runInput, user, storedCommand: program, toLook };
  const project =
    choice.kind === 'chosen' ? { text: choice.text, name: PROJECT_CONFIG, isTrusted: choice.isTrusted } : null;
  const resolved = resolvePolicy({ ...others, project });
  if (project?.isTrusted === false)
    await tellUntrusted(context, resolved, () =>
      resolvePolicy({ ...others, project: { ...project, isTrusted: true } }),
    );
  return { ...resolved, configHash: differs && choice.kind === 'chosen' ? choice.hash : null };
}

/** What the config of a project would set if its person trusted it. One that would be refused then does not count for that either. */
async function tellUntrusted({ io }: Context, inForce: ResolvedPolicy, trusted: () => ResolvedPolicy): Promise<void> {
  const [{ explainConfig }, { ConfigError }] = await Promise.all([
    import('../../../config/resolve/explain-policy.js'),
    import('../../../config/system/config-error.js'),
  ]);
  const untrusted = 'Note: nobody trusted .sluice/config.yaml, so it only makes stricter';
  try {
    const now = new Map(explainConfig(inForce).map(({ key, text }) => [key, text]));
    const unheard = explainConfig(trusted()).flatMap(({ key, text }) => (now.get(key) === text ? [] : [key]));
    if (unheard.length > 0)
      io.err(`${untrusted}: it does not count for ${unheard.join(', ')}. To let it:  sluice trust`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [{ place, found }] = error.problems;
    io.err(`${untrusted}; trusted, it would be refused: ${foreign(`${place}: ${found}`)}`);
  }
}

interface Texts {
  readonly root: string;
  readonly baseText: string | null;
  readonly workingText: string | null;
}

async function select(
  context: Context,
  texts: Texts,
): Promise<{ readonly choice: ConfigChoice; readonly differs: boolean }> {
  const [{ selectProjectConfig }, { trustOf }, { hashOfText }] = await Promise.all([
    import('../../../config/resolve/select-config.js'),
    import('../../../config/home/trust.js'),
    import('../../../config/system/config-text.js'),
  ]);
  const { root, baseText, workingText } = texts;
  const differs = workingText !== null && workingText !== baseText;
  const look = () =>
    selectProjectConfig({
      baseText,
      workingText,
      ...(differs ? { requestedHash: hashOfText(workingText) } : {}),
      trust: trustOf(context.home, root),
    });
  const choice = look();
  if (differs && choice.kind === 'chosen') {
    const what = baseText === null ? 'is not committed at the base' : 'differs from the one at the base commit';
    context.io.err(
      `Note: .sluice/config.yaml in your checkout ${what}; this run uses the one in your checkout (${choice.hash.slice(0, 12)}).`,
    );
  }
  if (choice.kind !== 'not_trusted') return { choice, differs };
  if (choice.text === null || !(await askTrust(context, root, choice.text))) throw choice.error;
  return { choice: look(), differs };
}

/** Asks once, on a terminal only; an agent can make itself one. */
async function askTrust({ io, home, json }: Context, root: string, text: string): Promise<boolean> {
  if (!io.interactive || json || isInsideTurn(io.env)) return false;
  const [{ trustConfig }, { ensureHome }] = await Promise.all([
    import('../../../config/home/trust.js'),
    import('../../../config/home/home.js'),
  ]);
  io.err(`The config of ${foreign(root)} starts programs on this machine:\n\n${foreignBlock(text.trimEnd())}\n`);
  if (!(await askYesOrNo('Trust this config?', { initial: false, left: 'Nothing was started.' }))) return false;
  ensureHome(home);
  await trustConfig(home, root, text);
  return true;
}
