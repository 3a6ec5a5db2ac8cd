/**
 * Adapter for any program: prompt on stdin, answer on stdout, exit code 0.
 * It cannot resume a conversation, so a question asked again carries the earlier answer in its prompt.
 */

import { badSetting } from '../bad-setting.js';
import type { AgentAdapter } from '../contract.js';
import { readPlainTurn } from '../read-plain-turn.js';
import { makeTurnEnvironment } from '../turn-environment.js';

export const commandAdapter: AgentAdapter = {
  capabilities: { resume: false },
  command(turn) {
    const { command, args } = turn.config;
    if (command === null) throw badSetting(turn, { key: 'command', needs: 'the program to run' });
    return { argv: [...command, ...args], env: makeTurnEnvironment(turn), stdin: turn.prompt };
  },
  read: (_turn, exit) => readPlainTurn(exit),
};
