/**
 * Adapter for any program: prompt on stdin, answer on stdout, exit code 0.
 * It cannot resume a conversation, so a question asked again carries the earlier answer in its prompt.
 */

import type { AgentAdapter } from '../contract.js';
import { makeTurnEnvironment } from '../environment/turn-environment.js';
import { badSetting } from '../outcome/bad-setting.js';
import { readPlainTurn } from '../outcome/read-plain-turn.js';

export const commandAdapter: AgentAdapter = {
  capabilities: { resume: false },
  command(turn) {
    const { command, args } = turn.config;
    if (command === null) throw badSetting(turn, { key: 'command', needs: 'the program to run' });
    return { argv: [...command, ...args], env: makeTurnEnvironment(turn), stdin: turn.prompt };
  },
  read: (_turn, exit) => readPlainTurn(exit),
};
