/** Adapter for any agent that speaks the Agent Client Protocol over stdio: a client of ours is the command, and its JSON events are what is read. */
import { meaningOf, outcomeOfCli } from '../../cli-turn.js';
import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readJsonLines } from '../../events/read-json-lines.js';
import { loginCommand } from '../../login-variables.js';
import { readLastLines } from '../../read-plain-turn.js';
import { addedSince, latestOf, NO_USAGE } from '../../usage-delta.js';
import { type AcpEntry, acpCommand, COMPILED_ENTRY } from './acp-command.js';
import { AcpEvents } from './acp-events.js';
import { ACP_TABLE } from './acp-outcome.js';

export function createAcpAdapter(entry: AcpEntry = COMPILED_ENTRY): AgentAdapter {
  return {
    adapter: 'acp',
    capabilities: { resume: true, structured: false, permissions: true },
    command: (turn) => acpCommand(entry, turn),
    read: readAcpTurn,
  };
}

async function readAcpTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new AcpEvents();
  const counts = await readJsonLines(exit.stdout, (event) => events.take(event));
  const stderr = await readLastLines(exit.stderr);
  const { said } = events;
  const meaning = meaningOf(ACP_TABLE, said);
  const outcome = outcomeOfCli({ turn, exit, meaning, counts, stderr, login: loginCommand(turn.config) });
  const cost = { ...NO_USAGE, costMicroUsd: said.told.costMicroUsd };
  const before = said.costsAnew ? NO_USAGE : (turn.resume?.totals ?? NO_USAGE);
  return {
    outcome: outcome.kind === 'needs_input' && said.asked !== null ? { ...outcome, permission: said.asked.request } : outcome,
    text: events.text,
    usage: { ...said.told, costMicroUsd: addedSince(before, cost).costMicroUsd },
    conversation: events.conversation === null ? null : { id: events.conversation, totals: latestOf(before, cost) },
    denied: said.denied,
  };
}
