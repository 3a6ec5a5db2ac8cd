/**
 * One tiny turn of an agent outside any run, for `sluice doctor --call`: its own adapter starts it and reads it, in an empty folder that
 * is gone afterwards, with tools that only look. It costs what one question costs. No guard watches it: what leaves its process group
 * lives on. **Effects** one process with its group. **Cancel** the group is ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../../config/system/error-code.js';
import { signalGroup } from '../../../config/system/send-signal.js';
import type { AgentTrial, AgentTrialResult } from '../../../protocol/actors/agent-trial.js';
import { DEFAULT_CONTEXT_BYTES } from '../../../protocol/limits.js';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import { createValueRedactor } from '../../../protocol/text/value-redactor.js';
import { adapterOf } from '../agent-adapters.js';
import type { AgentExit, TurnCommand, TurnRequest } from '../contract.js';
import { captureEnvironment } from '../environment/environment.js';
import { collectSecretValues } from '../environment/secret-values.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface TrialOptions {
  readonly environment: Environment;
  /** **Unit** ms. */
  readonly limitMs: number;
  readonly stop: AbortSignal;
}

/** **Unit** ms between TERM and KILL. */
const KILL_GRACE_MS = 2_000;

const PROMPT = 'Answer with the one word "ready" and nothing else. Use no tools and read no files.\n';

export async function tryAgent(
  trial: AgentTrial,
  { environment, limitMs, stop }: TrialOptions,
): Promise<AgentTrialResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-trial-'));
  const begun = performance.now();
  try {
    const adapter = adapterOf(trial);
    const turn = requestOf(trial, environment, join(folder, 'work'));
    mkdirSync(turn.cwd);
    const exit = await runToEnd(adapter.command(turn), { cwd: turn.cwd, folder, limitMs, stop });
    const { outcome, usage } = await adapter.read(turn, exit);
    return { outcome: withoutSecrets(outcome, turn), ...usage, durationMs: Math.round(performance.now() - begun) };
  } catch (error) {
    const outcome: TurnOutcome = { kind: 'hard', why: `it cannot be started: ${messageOf(error)}` };
    return {
      outcome,
      tokensIn: null,
      tokensOut: null,
      costMicroUsd: null,
      durationMs: Math.round(performance.now() - begun),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requestOf(
  { adapter, program, args, passEnv }: AgentTrial,
  environment: Environment,
  cwd: string,
): TurnRequest {
  const passed = Object.fromEntries(
    passEnv.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  return {
    stage: 'planning',
    round: 0,
    ask: 'work',
    prompt: PROMPT,
    cwd,
    config: { adapter, command: [program, ...args], args: [], env: passed, model: null, fallback: null },
    stagePolicy: {
      agent: adapter,
      model: null,
      effort: null,
      timeoutMs: 0,
      instructions: null,
      prompt: null,
      tools: 'read',
      contextBytes: DEFAULT_CONTEXT_BYTES,
    },
    tools: 'read',
    resume: null,
    env: captureEnvironment(environment),
    decisionCode: '',
    permissions: 'read-only',
    permissionAnswers: [],
  };
}

function withoutSecrets(outcome: TurnOutcome, { env, config }: TurnRequest): TurnOutcome {
  if (!('why' in outcome)) return outcome;
  const redactor = createValueRedactor(collectSecretValues({ captured: env, given: [config.env] }));
  return { ...outcome, why: redactor.text(redactor.hideCut(outcome.why)) };
}

interface Start extends Pick<TrialOptions, 'limitMs' | 'stop'> {
  readonly cwd: string;
  readonly folder: string;
}

/** Errors: those of starting the program. */
async function runToEnd({ argv, env, stdin }: TurnCommand, { cwd, folder, limitMs, stop }: Start): Promise<AgentExit> {
  const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
  const files = [openSync(stdout, 'w'), openSync(stderr, 'w')] as const;
  const [program, ...args] = argv;
  // A group of its own, without a terminal: nobody answers what it may ask there.
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['pipe', ...files], detached: true });
  for (const file of files) closeSync(file);
  // A program that is gone before it reads has an end of its own to tell.
  child.stdin?.on('error', () => undefined).end(stdin);
  let reason: AgentExit['reason'] = 'exited';
  const end = (why: AgentExit['reason']) => {
    if (reason === 'exited') reason = why;
    signalGroup(child, 'SIGTERM');
    timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_GRACE_MS));
  };
  const timers = [setTimeout(() => end('timed_out'), limitMs)];
  const onStop = () => end('aborted');
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop, { once: true });
  try {
    const [exitCode, signal] = await exitOf(child);
    return { exitCode, signal, reason, endedAt: new Date().toISOString(), stdout, stderr };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
    signalGroup(child, 'SIGKILL');
  }
}

function exitOf(child: ChildProcess): Promise<readonly [number | null, string | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
}
