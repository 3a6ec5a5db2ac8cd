/** Runs the program of the adapter `model` as a turn does, a real process with its output in files, and reads the turn. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelAdapter } from '../../../../activities/agent/adapters/model/model-adapter.js';
import type { ModelEntry } from '../../../../activities/agent/adapters/model/model-command.js';
import type { TurnReading, TurnRequest } from '../../../../activities/agent/contract.js';
import type { ModelProvider } from '../../../../protocol/run/policy.js';
import { aTurn } from '../turn-builder.js';

export const KEY = 'test-key-4711';

export interface AskedTurn {
  readonly provider: ModelProvider;
  readonly baseUrl: string;
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly turn?: Partial<TurnRequest>;
}

export interface Asked {
  readonly reading: TurnReading;
  /** All that it was started with but its environment, and all that it printed. */
  readonly seen: string;
  readonly stdout: string;
}

export async function askAsTurn(
  entry: ModelEntry,
  { provider, baseUrl, model, env, turn: given }: AskedTurn,
): Promise<Asked> {
  const keys = env ?? { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
  const config = {
    adapter: 'model',
    command: null,
    args: [],
    env: keys,
    model: model ?? MODELS[provider],
    fallback: null,
    provider,
    baseUrl,
  } as const;
  const turn = aTurn({ config, stage: 'planning', tools: 'read', env: { PATH: process.env['PATH'] ?? '' }, ...given });
  const adapter = createModelAdapter(entry);
  const command = adapter.command(turn);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-ask-'));
  const paths = { stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr') };
  const [stdout, stderr] = await Promise.all([open(paths.stdout, 'w'), open(paths.stderr, 'w')]);
  try {
    const [program, ...args] = command.argv;
    const child = spawn(program, args, { env: command.env, cwd: folder, stdio: ['pipe', stdout.fd, stderr.fd] });
    child.stdin?.end(command.stdin);
    const [exitCode, signal]: unknown[] = await once(child, 'exit');
    const exit = {
      exitCode: exitCode as number | null,
      signal: signal as string | null,
      reason: 'exited',
      endedAt: new Date().toISOString(),
    } as const;
    const reading = await adapter.read(turn, { ...exit, ...paths });
    const printed = await Promise.all([readFile(paths.stdout, 'utf8'), readFile(paths.stderr, 'utf8')]);
    return { reading, seen: [...command.argv, command.stdin, ...printed].join('\n'), stdout: printed[0] };
  } finally {
    await Promise.all([stdout.close(), stderr.close()]);
    await rm(folder, { recursive: true });
  }
}

const MODELS: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  'openai-compatible': 'local/llama',
};
