/**
 * Runs each CLI by itself, without sluice, against the mock, and writes what it printed: the samples behind the adapters' outcome tables.
 * `node --import tsx test/e2e-agents/record-transcripts.ts <folder> [cli] [case]`. Paths and ports of this machine are replaced.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCliRepository } from '../support/cli-repository.js';
import { AGENT_CLIS, MOCK_PACKAGE, type NativeCli } from './agent-clis.js';
import { prepareHome } from './agent-home.js';
import { install } from './install-agents.js';
import { type MockProvider, startMockProvider } from './mock-provider.js';
import { asOrdinaryUser, giveToOrdinaryUser } from './ordinary-user.js';
import { type Session, startOf, TRANSCRIPT_CASES, type TranscriptCase } from './transcript-cases.js';
import { withoutNetwork } from './without-network.js';

/** Set in the process that has loopback only. */
const INSIDE = 'SLUICE_AGENTS_INSIDE';

/** Longer than any case; a CLI that does not end by itself is a finding too. */
const LIMIT_MS = 120_000;

const KILL_AFTER_MS = 5_000;

const [folder = '/nowhere', only, onlyCase] = process.argv.slice(2);

if (process.env[INSIDE] === undefined) {
  install(MOCK_PACKAGE);
  for (const cli of chosen()) install(cli);
  const { argv } = withoutNetwork([process.execPath, ...process.execArgv, ...process.argv.slice(1)]);
  const { status } = spawnSync(argv[0], argv.slice(1), { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });
  process.exitCode = status ?? 1;
} else {
  const provider = await startMockProvider(install(MOCK_PACKAGE).packageFolder);
  for (const cli of chosen()) await recordAll(cli, provider);
  await provider.close();
}

function chosen(): readonly NativeCli[] {
  return AGENT_CLIS.filter(({ name }) => only === undefined || only === name);
}

interface Place {
  readonly root: string;
  readonly home: string;
  readonly repository: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
}

async function recordAll(cli: NativeCli, provider: MockProvider): Promise<void> {
  const place = makePlace(cli, provider.url);
  mkdirSync(join(folder, cli.name), { recursive: true });
  let session: Session = null;
  for (const transcriptCase of TRANSCRIPT_CASES) {
    if (onlyCase !== undefined && !transcriptCase.name.startsWith(onlyCase)) continue;
    spawnSync('git', ['-c', 'safe.directory=*', 'checkout', '-q', '.'], { cwd: place.repository });
    giveToOrdinaryUser(place.repository);
    session = await recordOne(cli, transcriptCase, { place, provider, before: session });
  }
  rmSync(place.root, { recursive: true, force: true });
}

function makePlace(cli: NativeCli, providerUrl: string): Place {
  const root = mkdtempSync(join(tmpdir(), 'sluice-transcripts-'));
  chmodSync(root, 0o755);
  const [home, repository] = [join(root, 'person'), join(root, 'repository')];
  // Not above HOME: codex trusts no home below the folder for temporary files.
  mkdirSync(join(root, 'tmp'));
  const { env: own } = prepareHome(cli.name, home, providerUrl);
  makeCliRepository(repository);
  giveToOrdinaryUser(root);
  const env = {
    PATH: `${join(install(cli).prefix, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...own,
  };
  const [program, ...args] = asOrdinaryUser([cli.program, '--version']);
  const version = spawnSync(program, args, { env, encoding: 'utf8' }).stdout.trim();
  return { root, home, repository, version, env };
}

async function recordOne(
  cli: NativeCli,
  transcriptCase: TranscriptCase,
  { place, provider, before }: { readonly place: Place; readonly provider: MockProvider; readonly before: Session },
): Promise<Session> {
  const started = startOf(cli.name, transcriptCase, before);
  const env = Object.fromEntries(
    Object.entries({ ...place.env, ...started.env, ...transcriptCase.env }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const seen = provider.calls().length;
  const prompt = promptOf(transcriptCase);
  const ended = await runProgram(asOrdinaryUser(started.argv), {
    cwd: place.repository,
    env,
    prompt,
    endAfterMs: transcriptCase.endAfterMs ?? LIMIT_MS,
  });
  const calls = provider.calls().slice(seen);
  const changed = spawnSync('git', ['-c', 'safe.directory=*', 'status', '--porcelain'], {
    cwd: place.repository,
    encoding: 'utf8',
  }).stdout;
  // claude names a folder after the working directory, with dashes.
  const clean = (text: string) =>
    text
      .replaceAll(place.root, '/home/person')
      .replaceAll(place.root.replaceAll('/', '-'), '-home-person')
      .replaceAll(provider.url.replace('http://', ''), '127.0.0.1:4010');
  const file = join(folder, cli.name, transcriptCase.name);
  writeFileSync(`${file}.stdout`, clean(ended.stdout));
  writeFileSync(`${file}.stderr`, clean(ended.stderr));
  const facts = {
    cli: cli.name,
    version: place.version,
    case: transcriptCase.name,
    argv: started.argv,
    stdin: prompt,
    envNames: Object.keys(env),
    env: started.env,
    exitCode: ended.exitCode,
    signal: ended.signal,
    endedByUs: ended.endedByUs,
    ms: ended.ms,
    changed: changed.trim(),
    calls: calls.map(({ path, stage, tools, prompts, answered }) => ({ path, stage, tools, prompts, answered })),
  };
  writeFileSync(`${file}.json`, `${JSON.stringify(facts, null, 2)}\n`);
  process.stderr.write(
    `${cli.name} ${transcriptCase.name}: exit ${ended.exitCode ?? ended.signal}, ${ended.ms} ms, ${calls.length} calls\n`,
  );
  return sessionIn(ended.stdout) ?? started.session;
}

/** Looks like ours, so that the markers are read where they stand in a run. */
function promptOf({ stage, marker, name }: TranscriptCase): string {
  const asks = stage === 'reviewing' ? '\n\nDECISION c0de1234: APPROVED | CHANGES_REQUESTED | BLOCKED' : '';
  return `[stage:${stage}] [round:0] [ask:work]\n\nAdd a line to a.txt. ${marker}\n(${name})${asks}\n`;
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly endedByUs: boolean;
  readonly ms: number;
}

function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  {
    cwd,
    env,
    prompt,
    endAfterMs,
  }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly prompt: string;
    readonly endAfterMs: number;
  },
): Promise<Ended> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    let [stdout, stderr, endedByUs] = ['', '', false];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined).end(prompt);
    const end = (signal: NodeJS.Signals) => {
      endedByUs = true;
      try {
        // Its own group: a CLI is often a script before the program that works.
        process.kill(-(child.pid ?? 0), signal);
      } catch {
        // It ended by itself.
      }
    };
    const timers = [
      setTimeout(() => end('SIGTERM'), endAfterMs),
      setTimeout(() => end('SIGKILL'), endAfterMs + KILL_AFTER_MS),
    ];
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ stdout, stderr, exitCode, signal, endedByUs, ms: Math.round(performance.now() - begun) });
    });
  });
}

/** By whatever name the CLI tells it. */
function sessionIn(stdout: string): Session {
  return /"(?:session_id|thread_id|sessionID)":\s*"([^"]+)"/.exec(stdout)?.[1] ?? null;
}
