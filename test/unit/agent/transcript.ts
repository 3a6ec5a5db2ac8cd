/** Reads a kept transcript of a CLI with its adapter, as a turn on a host would. A transcript is recorded from the CLI unless its json says that it is not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOf } from '../../../activities/agent/agent-adapters.js';
import type { AgentExit, TurnReading, TurnRequest } from '../../../activities/agent/contract.js';
import type { Adapter } from '../../../protocol/run/policy.js';
import { aTurn } from './turn-builder.js';

export interface TranscriptGiven {
  readonly turn?: Partial<TurnRequest>;
  readonly exit?: Partial<AgentExit>;
}

export function readTranscript(
  adapter: Adapter,
  name: string,
  { turn = {}, exit = {} }: TranscriptGiven = {},
): Promise<TurnReading> {
  const path = join('test/unit/agent/transcripts', adapter, name);
  const { exitCode, signal } = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Pick<
    AgentExit,
    'exitCode' | 'signal'
  >;
  const config = { ...aTurn().config, adapter, command: null };
  return adapterOf({ adapter }).read(aTurn({ config, ...turn }), {
    exitCode,
    signal,
    reason: 'exited',
    endedAt: '2026-11-21T10:00:00.000Z',
    stdout: `${path}.stdout`,
    stderr: `${path}.stderr`,
    ...exit,
  });
}
