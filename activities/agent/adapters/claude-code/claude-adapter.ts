/** Adapter for Claude Code (`claude -p`): prompt on stdin, JSON events on stdout, a conversation that a later turn can go on with. */

import type { AgentAdapter, AgentExit, TurnReading, TurnRequest, TurnUsage } from '../../contract.js';
import { readCli } from '../../events/cli-turn.js';
import { latestOf, NO_USAGE, subtractUsage, sumOf } from '../../outcome/usage-delta.js';
import { claudeCommand } from './claude-command.js';
import { ClaudeEvents, type ClaudeSaid } from './claude-events.js';
import { glanceAtClaude } from './claude-glance.js';
import { CLAUDE_TABLE } from './claude-outcome.js';

export const claudeAdapter: AgentAdapter = {
  capabilities: { resume: true },
  command: claudeCommand,
  glance: glanceAtClaude,
  read: readClaudeTurn,
};

async function readClaudeTurn(turn: TurnRequest, exit: AgentExit): Promise<TurnReading> {
  const events = new ClaudeEvents();
  const { outcome } = await readCli(turn, exit, { events, table: CLAUDE_TABLE });
  const { said } = events;
  const before = turn.resume?.totals ?? NO_USAGE;
  const isWhole = tellsConversation(said, before);
  return {
    outcome,
    text: said.text,
    usage: isWhole ? subtractUsage(before, said.told) : said.told,
    conversation:
      events.conversation === null
        ? null
        : { id: events.conversation, totals: isWhole ? latestOf(before, said.told) : sumOf(before, said.told) },
    denied: said.denied,
  };
}

/**
 * Versions up to 2.1.197 tell this turn, 2.1.329 tells the whole conversation. Which of the two it is shows in the input of this turn's own
 * messages: the figure that is nearer to them.
 */
function tellsConversation({ told, streamedIn }: ClaudeSaid, before: TurnUsage): boolean {
  const wholeIn = told.tokensIn ?? 0;
  const addedIn = wholeIn - (before.tokensIn ?? 0);
  return Math.abs(addedIn - streamedIn) <= Math.abs(wholeIn - streamedIn);
}
