/**
 * Adapter for the scripted agent: a real child process that does what a fixture file says, for demo and tests.
 * The fixture is the first of the agent's `args`, an absolute path: a relative one would name a file in the worktree,
 * which a turn can rewrite. It needs no key and no network; it is named `scripted` wherever an agent is named.
 */

import { isAbsolute } from 'node:path';
import type { ApplicationFailure } from '@temporalio/common';
import { entryFile } from '../../../config/system/entries.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../contract.js';
import { makeTurnEnvironment } from '../environment/turn-environment.js';
import { badSetting } from '../outcome/bad-setting.js';
import { readLastLines, readPlainTurn } from '../outcome/read-plain-turn.js';

/** Arguments of node that start the scripted agent; the fixture is appended. */
export type ScriptedEntry = readonly [string, ...string[]];

/** The program of the build is not there where the sources run uncompiled: give another entry. */
export function createScriptedAdapter(entry: ScriptedEntry = [entryFile('scripted')]): AgentAdapter {
  return {
    capabilities: { resume: false },
    command(turn) {
      const fixture = turn.config.args[0];
      if (fixture === undefined || !isAbsolute(fixture)) throw noFixture(turn, fixture);
      return { argv: [process.execPath, ...entry, fixture], env: makeTurnEnvironment(turn), stdin: turn.prompt };
    },
    read: (_turn, exit) => readScriptedTurn(exit),
  };
}

/** Only here: what another program says of its cost would be believed without a check. */
async function readScriptedTurn(exit: AgentExit): Promise<TurnReading> {
  const reading = await readPlainTurn(exit);
  const lines = await readLastLines(exit.stderr);
  const usd = lines.map((line) => COST_LINE.exec(line)?.[1]).findLast((said) => said !== undefined);
  return usd === undefined
    ? reading
    : { ...reading, usage: { ...reading.usage, costMicroUsd: Math.round(Number(usd) * 1_000_000) } };
}

const COST_LINE = /^sluice-cost: (\d{1,7}(?:\.\d{1,12})?)$/;

function noFixture(turn: TurnRequest, fixture: string | undefined): ApplicationFailure {
  const found = fixture === undefined ? 'is empty' : `starts with ${JSON.stringify(fixture)}`;
  return badSetting(turn, { key: 'args', found, needs: 'the absolute path of its fixture file there' });
}
