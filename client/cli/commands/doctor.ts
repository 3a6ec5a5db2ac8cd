/**
 * `sluice doctor`: one line for everything that a run needs, each ok, warn or fail, and what mends it. It changes nothing, and starts what tells its
 * own version and login; only `--call` has an agent work.
 */

import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSaysLogin } from '../../../config/init/detect-agents.js';
import { lookForSandbox } from '../../../config/system/sandbox-program.js';
import { ANY_HOST_QUEUE, hostQueue, SEARCH_ATTRIBUTES, TASK_QUEUE } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { exists } from '../../look/find-runs.js';
import { gitVersion } from '../../repository.js';
import { createSluice, type Sluice, type SluiceOptions } from '../../sluice.js';
import { localTime } from '../../views/local-time.js';
import { chooseServer } from '../server/choose-server.js';
import { readHostId } from '../server/host-config.js';
import { type EngineReport, lookAtEngine } from '../server/up.js';
import { callAgents } from '../start/call-agents.js';
import { type Finding, fail, type Grade, pass, warn } from '../start/doctor-finding.js';
import { findAgentsAround, loginText, type VersionedAgent } from '../start/found-agents.js';
import { lookAtDisk, lookAtRoom, nearestFolder } from '../start/look-at-disk.js';
import { lookAtWebhook } from '../start/look-at-webhook.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';

export const MIN_NODE = [20, 19] as const;
/** Source: the release notes of git 2.38, which has `merge-tree --write-tree`, by which changes are landed. */
const MIN_GIT = [2, 38] as const;

export interface DoctorOptions {
  /** A program or an adapter; true: every agent that was found. Without it none is called. */
  readonly call?: string | true | undefined;
}

export async function doctor(context: Context, { call }: DoctorOptions): Promise<ExitCode> {
  const { io, json } = context;
  let worst: Grade = 'ok';
  const looks =
    call === undefined
      ? LOOKS
      : [...LOOKS, (given: Context) => callAgents(given, { agent: call === true ? null : call })];
  for (const look of looks) {
    for (const finding of await look(context)) {
      if (finding.grade === 'fail' || (finding.grade === 'warn' && worst === 'ok')) worst = finding.grade;
      if (json) io.json(finding);
      else printFinding(finding, io);
    }
  }
  const logs = worst === 'ok' ? [] : await logsOf(context.home);
  for (const finding of logs) {
    if (json) io.json(finding);
    else printFinding(finding, io);
  }
  return worst === 'fail' ? EXIT.notStarted : EXIT.done;
}

const LOOKS = [lookAtMachine, lookAtHome, lookAtProject, lookAtServer, lookAtWebhook];

function printFinding({ check, grade, found, mend }: Finding, io: Io): void {
  const paint = { ok: io.colors.green, warn: io.colors.yellow, fail: io.colors.red }[grade];
  io.out(`${paint(grade.padEnd(4))}  ${check.padEnd(17)} ${foreign(found)}`);
  if (mend !== null) io.out(`      ${' '.repeat(18)}${foreign(mend)}`);
}

async function lookAtMachine({ io }: Context): Promise<readonly Finding[]> {
  const git = await gitVersion();
  return [
    gradeVersion({ check: 'node', found: process.versions.node, least: MIN_NODE, mend: 'install Node 20.19 or newer' }),
    git === null
      ? fail('git', 'not on PATH', 'install git 2.38 or newer')
      : gradeVersion({ check: 'git', found: git, least: MIN_GIT, mend: 'install git 2.38 or newer' }),
    ...(await lookAtAgents(io)),
    await lookAtSandbox(io),
  ];
}

/** `says`: what its own command says of its login; null: it has none. */
interface AskedAgent extends VersionedAgent {
  readonly says: boolean | null;
}

/** One line each; that none is there, or has no login that can be seen without a call, is no fault: any program will do. */
async function lookAtAgents(io: Io): Promise<readonly Finding[]> {
  const agents = await findAgentsAround(io);
  const found = await Promise.all(
    agents.map(async (agent) => ({ ...agent, says: await agentSaysLogin(agent, io.env) })),
  );
  if (found.length === 0) {
    const none = 'none of the known ones; any program will do: --agent command -- <program>';
    return [pass('agents on PATH', none)];
  }
  return found.map((agent) => {
    const check = `agent ${agent.program}`;
    const text = `${agent.path}, ${agent.version ?? 'tells no version'}, ${saidText(agent)}`;
    if (agent.version === null) return warn(check, text, `${agent.program} --version`);
    if (!mayBeLoggedIn(agent)) return warn(check, text, agent.makeLogin);
    return pass(check, text);
  });
}

/** A variable may hold the key of a provider that the CLI's own command knows nothing of. */
function mayBeLoggedIn({ login, says }: AskedAgent): boolean {
  return login.kind === 'variable' || (says ?? login.kind === 'file');
}

function saidText(agent: AskedAgent): string {
  const { login, says } = agent;
  if (says === true && login.kind === 'none') return 'logged in, as it says itself';
  if (says === false && login.kind === 'file')
    return `its login lies in ${login.where}, and it says that nobody is logged in`;
  return loginText(login);
}

/** None is no fault: with `sandbox: auto` agents then work without. */
async function lookAtSandbox({ env }: Io): Promise<Finding> {
  const check = 'sandbox';
  const found = await lookForSandbox({ path: env['PATH'] ?? '', forbidden: [] });
  if (found.kind === 'works') return pass(check, `bubblewrap ${found.version} works (${found.program})`);
  return pass(check, `none: ${found.why}; with sandbox: auto agents and checks run without one`, found.mend);
}

/** Of the repository that one stands in. */
async function lookAtProject(context: Context): Promise<readonly Finding[]> {
  const [{ lookAtConfig, readProject }, { lookAtForge }] = await Promise.all([
    import('../start/look-at-config.js'),
    import('../start/look-at-forge.js'),
  ]);
  const project = await readProject(context);
  if (project === null) return [];
  return [...(await lookAtConfig(context, project)), ...(await lookAtForge(context, project))];
}

async function lookAtHome({ home }: Context): Promise<readonly Finding[]> {
  const writable = await isWritable(home);
  const hostId = await readHostId(home);
  return [
    writable
      ? pass('sluice home', home)
      : fail('sluice home', `${home} is not writable`, 'make it writable, or: export SLUICE_HOME=<folder>'),
    await lookAtDisk(home),
    await lookAtRoom(home),
    pass('host id', hostId ?? 'none yet: the first run makes it'),
  ];
}

/** Where to read on when something is wrong. */
async function logsOf(home: string): Promise<readonly Finding[]> {
  const names = ['logs/engine.log', 'logs/server.log', 'logs/worker.log', 'guard.log'].map((name) => join(home, name));
  const there = await Promise.all(names.map((name) => exists(name)));
  const found = names.filter((_, index) => there[index]).join(' ');
  return found === '' ? [] : [pass('logs', found)];
}

/** Null where there is none that could be asked. */
function silentEngine(error: unknown): Finding | null {
  return error instanceof RefusedError ? fail('local engine', error.parts.what, error.parts.mend) : null;
}

export async function lookAtServer(context: Context, connect = createSluice): Promise<readonly Finding[]> {
  const choice = await chooseServer(context, { local: false });
  if (choice.kind === 'remote') {
    const { options, origin, leave } = choice;
    const mends = { silent: `start that server, or: ${leave}`, workers: 'sluice worker' };
    return lookAtAddress(context, { what: `server ${origin}`, options, mends }, connect);
  }
  const engine = await lookAtEngine(context.home).catch(silentEngine);
  if (engine === null) return [pass('local engine', 'down; sluice run starts it when it is needed')];
  if ('check' in engine) return [engine];
  const restarts = `server restarts ${engine.serverRestarts}, worker restarts ${engine.workerRestarts}`;
  const own: Finding =
    engine.phase === 'up'
      ? pass('local engine', `up at ${engine.address} since ${localTime(engine.startedAt)}; ${restarts}`)
      : warn('local engine', `${engine.phase}: ${engine.error?.what ?? restarts}`, engine.error?.mend ?? 'sluice up');
  const { address, namespace } = engine;
  const look = { what: 'server', options: { address, namespace }, mends: ownMends(engine) };
  return [own, ...(await lookAtAddress(context, look, connect))];
}

/** `sluice up` waits for an engine that is not up, and starts one anew that gave up. */
function ownMends({ phase }: EngineReport): ServerLook['mends'] {
  return phase === 'up'
    ? { silent: 'sluice down --now && sluice up', workers: 'sluice up --restart' }
    : { silent: 'sluice up', workers: 'sluice up' };
}

interface ServerLook {
  readonly what: string;
  readonly options: SluiceOptions;
  /** Where it does not answer, and where nobody polls it. */
  readonly mends: { readonly silent: string; readonly workers: string };
}

async function lookAtAddress(
  { home }: Context,
  { what, options, mends }: ServerLook,
  connect: typeof createSluice,
): Promise<readonly Finding[]> {
  await using sluice = await connect(options).catch(() => null);
  if (sluice === null) return [fail(what, `${options.address} does not answer`, mends.silent)];
  const version = await sluice.serverVersion();
  return [
    pass(what, `${options.address}, version ${version}, namespace ${sluice.namespace}`),
    ...(await lookAtPollers(sluice, await readHostId(home), mends.workers)),
    await lookAtSearchAttributes(sluice),
  ];
}

async function lookAtPollers(sluice: Sluice, hostId: string | null, mend: string): Promise<readonly Finding[]> {
  const { workflow } = await sluice.pollers(TASK_QUEUE);
  const anyHost = (await sluice.pollers(ANY_HOST_QUEUE)).activity;
  const own = hostId === null ? 0 : (await sluice.pollers(hostQueue(hostId))).activity;
  const control: Finding =
    workflow > 0
      ? pass('control worker', `polls ${TASK_QUEUE}`)
      : fail('control worker', `nobody polls ${TASK_QUEUE}`, mend);
  const hosts: Finding =
    anyHost > 0
      ? pass('hosts', `${anyHost} poll ${ANY_HOST_QUEUE}${own > 0 ? '; this host is one of them' : ''}`)
      : warn('hosts', `nobody polls ${ANY_HOST_QUEUE}`, mend);
  return [control, hosts];
}

async function lookAtSearchAttributes(sluice: Sluice): Promise<Finding> {
  const check = 'search attributes';
  const there = await sluice.searchAttributes().catch(() => null);
  if (there === null) return warn(check, 'the server does not say; sluice does without', null);
  const missing = SEARCH_ATTRIBUTES.filter((name) => !there.includes(name));
  if (missing.length === 0) return pass(check, SEARCH_ATTRIBUTES.join(', '));
  const mend = `temporal operator search-attribute create ${missing.map((name) => `--name ${name} --type Keyword`).join(' ')}`;
  return warn(check, `missing: ${missing.join(', ')}; sluice does without`, mend);
}

interface VersionCheck {
  readonly check: string;
  readonly found: string;
  readonly least: readonly [number, number];
  readonly mend: string;
}

export function gradeVersion({ check, found, least, mend }: VersionCheck): Finding {
  const [major = 0, minor = 0] = found.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const enough = major > least[0] || (major === least[0] && minor >= least[1]);
  return enough ? pass(check, found) : fail(check, `${found} is too old`, mend);
}

/** A home that does not exist yet is judged by the folder that it would be made in. */
async function isWritable(home: string): Promise<boolean> {
  return access(await nearestFolder(home), constants.W_OK).then(
    () => true,
    () => false,
  );
}
