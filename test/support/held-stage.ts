/** A run that a test can hold in mid-stage: the stage's agent or command is at work and waits for a file. A held command gives up after a minute. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { ScriptedTurn } from '../../activities/agent/scripted/fixture.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { startsOf } from './run-traces.js';
import type { TestHost, TestRun } from './test-host.js';
import { fixtureWith, PLAIN_FIXTURE, type RepositoryOptions, type TestRepository } from './test-repository.js';
import { until } from './until.js';

type HeldTurn = Exclude<TurnStage, 'fixing'>;

export type HeldStage = HeldTurn | 'validating';

export const HELD_STAGES: readonly HeldStage[] = [
  'planning',
  'architecting',
  'executing',
  'validating',
  'reviewing',
  'verifying',
];

const HELD_COMMAND = `#!/bin/sh
echo START >> "$HOME/commands.txt"
n=0
while [ ! -e "$HOME/go" ] && [ "$n" -lt 1200 ]; do n=$((n + 1)); sleep 0.05; done
echo END >> "$HOME/commands.txt"
grep -q changed a.txt
`;

const LIMITS = 'limits:\n  heartbeat: 2s\n  killGrace: 500ms\n';

/** Every agent or command of the stage waits, each time it is started. `turn` adds to what the agent does. */
export function heldIn(host: TestHost, stage: HeldStage, turn: ScriptedTurn = {}): RepositoryOptions {
  if (stage === 'validating') {
    return { files: { 'check.sh': HELD_COMMAND }, config: `${LIMITS}validation:\n  commands: ["./check.sh"]\n` };
  }
  const held = { ...PLAIN_FIXTURE.stages[stage], waitFor: goFile(host), ...turn };
  return {
    fixture: fixtureWith({ [stage]: held }),
    config: `${LIMITS}validation:\n  commands: ["grep -q changed a.txt"]\n`,
  };
}

/** Resolves when the stage's agent or command has noted its start. */
export async function reached(host: TestHost, repository: TestRepository, stage: HeldStage): Promise<void> {
  await until(() => (stage === 'validating' ? commandLines(host).length > 0 : startsOf(repository, stage) > 0));
}

export function letGo(host: TestHost): void {
  writeFileSync(goFile(host), '');
}

/** What the held command noted. */
export function commandLines(host: TestHost): readonly string[] {
  const path = join(personsHome(host), 'commands.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** Resolves when a later attempt of the run's open activity has been at it for long enough to heartbeat: it has attached, or has done worse. */
export async function attendedAgain(host: TestHost, run: TestRun): Promise<void> {
  await until(async () => {
    const { raw } = await host.client.workflow.getHandle(run.runId).describe();
    return (raw.pendingActivities ?? []).some(({ attempt, lastStartedTime, lastHeartbeatTime }) => {
      const startedMs = optionalTsToMs(lastStartedTime) ?? Number.POSITIVE_INFINITY;
      return (attempt ?? 0) >= 2 && (optionalTsToMs(lastHeartbeatTime) ?? 0) > startedMs;
    });
  });
}

/** What everything waits for that is held. */
export function goFile(host: TestHost): string {
  return join(personsHome(host), 'go');
}

function personsHome(host: TestHost): string {
  return host.env['HOME'] ?? host.folder;
}
