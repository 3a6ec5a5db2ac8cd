/**
 * `npm run e2e:agents`: the real CLIs from npm, offline, as an ordinary user, through the built command line. Installs them, starts the tests in
 * a place without another network, prints what ran, and fails if anything of it did not. `-- --cli codex` takes one; other arguments go to jest.
 * Exit codes: 0 all ran and passed, 1 else.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginCampaign } from '../../tools/campaigns.js';
import { findServerBinary } from '../../worker/local-engine/server-binary/find-server-binary.js';
import { casesOf } from './agent-cases.js';
import { ACP_AGENTS, type AgentCli, ALL_CLIS, cliNamed, MOCK_PACKAGE } from './agent-clis.js';
import { cacheFolder, install } from './install-agents.js';
import { asOrdinaryUser, giveToOrdinaryUser } from './ordinary-user.js';
import { missingFrom, parseRan, type Row, ranTable } from './ran-table.js';
import { PLAN_VARIABLE, type RunPlan } from './run-plan.js';
import { withoutNetwork } from './without-network.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const args = process.argv.slice(2);
const only = args[0] === '--cli' ? args.splice(0, 2)[1] : undefined;
const clis: readonly AgentCli[] = only === undefined ? ALL_CLIS : [cliNamed(only)];

// Not below /tmp, where no HOME lies: Codex then makes no helper programs there, and its own sandbox finds none.
mkdirSync(cacheFolder(), { recursive: true, mode: 0o755 });
const passed = beginCampaign('e2e:agents');
const folder = mkdtempSync(join(dirname(cacheFolder()), 'agents-'));
try {
  process.exitCode = await runAll();
  if (process.exitCode === 0 && only === undefined && args.length === 0) passed();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runAll(): Promise<number> {
  const plan = makePlan();
  const env = await makeEnvironment(plan);
  giveToOrdinaryUser(folder);
  mustBeReadable(env);
  const rows = clis.map((cli) => ({ cli: cli.name, version: versionOf(cli, env) }));
  const jest = [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--config',
    'test/e2e-agents/jest.config.js',
    ...args,
  ];
  const { argv, network } = withoutNetwork(asOrdinaryUser([process.execPath, ...jest]));
  process.stderr.write(`network: ${network}\n`);
  const code = await exitCodeOf(argv, env);
  return summary(rows, code, plan);
}

function makePlan(): RunPlan {
  const prefixes = Object.fromEntries(ALL_CLIS.map((cli) => [cli.name, clis.includes(cli) ? install(cli).prefix : '']));
  const ranFile = join(folder, 'ran.jsonl');
  writeFileSync(ranFile, '');
  return {
    projects: clis.map(({ name }) => ({ cli: name, tests: testsOf(name) })),
    prefixes: prefixes as RunPlan['prefixes'], // One of each name.
    mock: install(MOCK_PACKAGE).packageFolder,
    ranFile,
  };
}

/** Nothing of the person's own: neither keys nor settings of a CLI. */
async function makeEnvironment(plan: RunPlan): Promise<Record<string, string>> {
  chmodSync(folder, 0o755);
  for (const name of ['person', 'tmp']) mkdirSync(join(folder, name));
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'person'),
    TMPDIR: join(folder, 'tmp'),
    LANG: 'C.UTF-8',
    SLUICE_TEMPORAL_CLI: await readableServer(),
    SLUICE_TEMPORAL_DOWNLOAD: 'off',
    [PLAN_VARIABLE]: JSON.stringify(plan),
  };
}

/** A file without a test of the CLI would be a failure to jest. */
function testsOf(cli: string): string {
  return ACP_AGENTS.some(({ name }) => name === cli) ? '@(acp-*|skep-*)' : '!(acp-*)';
}

/** Root's cache is closed to others. */
async function readableServer(): Promise<string> {
  const { path } = await findServerBinary({ onProgress: (text) => process.stderr.write(`${text}\n`) });
  if (process.getuid?.() !== 0) return path;
  const own = join(folder, 'temporal');
  // Never a link: the copy is given to another user.
  copyFileSync(path, own);
  return own;
}

function mustBeReadable(env: Readonly<Record<string, string>>): void {
  const [program, ...rest] = asOrdinaryUser(['test', '-r', join(ROOT, 'package.json')]);
  try {
    execFileSync(program, rest, { env, stdio: 'ignore' });
  } catch {
    throw new Error(
      `${ROOT} cannot be read by an ordinary user.\nThe CLIs are run as one, and you are root.\nNothing was run.\n` +
        'Clone into a folder that others may enter, for instance below /tmp, and start it there:  npm run e2e:agents',
    );
  }
}

function versionOf(cli: AgentCli, env: Readonly<Record<string, string>>): string {
  const program = join(install(cli).prefix, 'bin', cli.program);
  accessSync(program, constants.X_OK);
  const [first, ...rest] = asOrdinaryUser([program, ...cli.versionArguments]);
  return execFileSync(first, rest, { env, encoding: 'utf8', timeout: 60_000 }).trim();
}

function exitCodeOf(
  [program, ...rest]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { cwd: ROOT, env: { ...env }, stdio: 'inherit' });
    // The tests are told, so that what they started is ended before the folder goes.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1));
  });
}

/** What carries the folder in its environment and still lives, ended. Linux only, as the tests are. */
function endLeftovers(): readonly string[] {
  const left = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && readProc(name, 'environ').includes(`=${folder}/`),
  );
  const commands = left.map((pid) => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 100)}`);
  for (const pid of left) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return commands;
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function summary(rows: readonly Row[], code: number, { ranFile }: RunPlan): number {
  const ran = existsSync(ranFile) ? parseRan(readFileSync(ranFile, 'utf8')) : [];
  console.log(ranTable(rows, ran));
  const missing = args.length > 0 ? [] : missingFrom(rows, ran, casesOf);
  for (const one of missing) console.log(`did not really run: ${one}`);
  const left = endLeftovers();
  for (const one of left) console.log(`was left behind, and ended: ${one}`);
  return code === 0 && missing.length === 0 && left.length === 0 ? 0 : 1;
}
