/** Adapter for OpenCode (`opencode run`): prompt on stdin, JSON events on stdout, a conversation that a later turn can go on with. */

import type { AgentAdapter, AgentExit, TurnReading, TurnRequest } from '../../contract.js';
import { readCli } from '../../events/cli-turn.js';
import { NO_USAGE, sumOf } from '../../outcome/usage-delta.js';
import { opencodeCommand } from './opencode-command.js';
import { OpencodeEvents } from './opencode-events.js';
import { glanceAtOpencode } from './opencode-glance.js';
import { OPENCODE_TABLE } from './opencode-outcome.js';

export const opencodeAdapter: AgentAdapter = {
  capabilities: { resume: true },
  command: opencodeCommand,
  glance: glanceAtOpencode,
  read: readOpencodeTurn,
};

async function readOpencodeTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new OpencodeEvents();
  const { outcome } = await readCli(turn, exit, { events, table: OPENCODE_TABLE });
  const { said } = events;
  return {
    outcome,
    text: events.text,
    usage: said.usage,
    conversation:
      events.conversation === null
        ? null
        : { id: events.conversation, totals: sumOf(turn.resume?.totals ?? NO_USAGE, said.usage) },
    denied: said.denied,
  };
}
