/** Adapter for any agent that speaks the Agent Client Protocol over stdio: a client of ours is the command, and its JSON events are what is read. */

import { entryFile } from '../../../../config/system/entries.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readCli } from '../../events/cli-turn.js';
import { latestOf, NO_USAGE, subtractUsage } from '../../outcome/usage-delta.js';
import { type AcpEntry, acpCommand } from './acp-command.js';
import { AcpEvents } from './acp-events.js';
import { glanceAtAcp } from './acp-glance.js';
import { ACP_TABLE } from './acp-outcome.js';

/** The program of the build is not there where the sources run uncompiled: give another entry. */
export function createAcpAdapter(entry: AcpEntry = [entryFile('acp')]): AgentAdapter {
  return {
    capabilities: { resume: true },
    command: (turn) => acpCommand(entry, turn),
    glance: glanceAtAcp,
    read: readAcpTurn,
  };
}

async function readAcpTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new AcpEvents();
  const { outcome } = await readCli(turn, exit, { events, table: ACP_TABLE });
  const { said } = events;
  const cost = { ...NO_USAGE, costMicroUsd: said.told.costMicroUsd };
  const before = said.costsAnew ? NO_USAGE : (turn.resume?.totals ?? NO_USAGE);
  return {
    outcome:
      outcome.kind === 'needs_input' && said.asked !== null ? { ...outcome, permission: said.asked.request } : outcome,
    text: events.text,
    usage: { ...said.told, costMicroUsd: subtractUsage(before, cost).costMicroUsd },
    conversation: events.conversation === null ? null : { id: events.conversation, totals: latestOf(before, cost) },
    denied: said.denied,
  };
}
