/** Adapter for Codex (`codex exec`): prompt on stdin, JSON events on stdout, a conversation that a later turn can go on with. */

import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readCli } from '../../events/cli-turn.js';
import { latestOf, NO_USAGE, subtractUsage } from '../../outcome/usage-delta.js';
import { codexCommand } from './codex-command.js';
import { CodexEvents } from './codex-events.js';
import { glanceAtCodex } from './codex-glance.js';
import { CODEX_TABLE } from './codex-outcome.js';

export const codexAdapter: AgentAdapter = {
  capabilities: { resume: true },
  command: codexCommand,
  glance: glanceAtCodex,
  read: readCodexTurn,
};

/** Of a change that its sandbox refused it tells on stderr alone. */
const REFUSED = /\brejected by user approval settings\b/;

async function readCodexTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new CodexEvents();
  const { outcome, stderr } = await readCli(turn, exit, { events, table: CODEX_TABLE });
  const { said } = events;
  const before = turn.resume?.totals ?? NO_USAGE;
  return {
    outcome,
    text: said.text,
    usage: subtractUsage(before, said.told),
    conversation:
      events.conversation === null ? null : { id: events.conversation, totals: latestOf(before, said.told) },
    denied: said.denied + stderr.filter((line) => REFUSED.test(line)).length,
  };
}
