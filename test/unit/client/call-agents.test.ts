/**
 * `sluice doctor --call` up to the agent: which are asked, when, and what people read of the answers. The process between is the real one.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { callAgents } from '../../../client/cli/start/call-agents.js';
import type { Io } from '../../../client/cli/terminal/io.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const ENTRY = [join(process.cwd(), 'dist/activities/agent/trial/main.js')] as const;

const LIMIT_MS = 300_000;

const freshFolder = tempFolders();
let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

function cli(name: string, answer: string): void {
  const path = join(folder, name);
  writeFileSync(
    path,
    `#!/bin/sh\ntest "$1" = --version && { echo '${name} 1.2.3'; exit; }\ntouch ${folder}/asked-${name}\n${answer}\n`,
  );
  chmodSync(path, 0o755);
}

const codex = (...events: readonly unknown[]) =>
  cli('codex', `cat <<'END'\n${events.map((event) => JSON.stringify(event)).join('\n')}\nEND`);

function inPipe(over: Partial<Io> = {}) {
  // The folder for temporary files is the machine's: what was compiled of the program is kept there.
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
  return openTerminal({ interactive: false, env, ...over });
}

describe('an agent that doctor calls', () => {
  it(
    'works, with what it used',
    async () => {
      codex(
        { type: 'item.completed', item: { type: 'agent_message', text: 'ready' } },
        { type: 'turn.completed', usage: { input_tokens: 900, output_tokens: 2 } },
      );
      const { context, err } = inPipe();

      const findings = await callAgents(context, { agent: 'codex', entry: ENTRY });

      const found = expect.stringMatching(/^works, \d+\.\d s, 900 tokens in, 2 out$/);
      expect(findings).toEqual([{ check: 'call codex', grade: 'ok', found, mend: null }]);
      expect(err).toEqual(['One question to codex, which may cost; each has a minute.']);
    },
    LIMIT_MS,
  );

  it('is no program of the repository around it', async () => {
    cli('codex', 'echo x');
    execFileSync('git', ['init', '-q', folder]);

    await expect(callAgents(inPipe({ cwd: folder }).context, { agent: 'codex', entry: ENTRY })).rejects.toThrow(
      'was not found',
    );
    expect(existsSync(join(folder, 'asked-codex'))).toBe(false);
  });

  it(
    'is told with why it does not, and the others are asked all the same',
    async () => {
      codex({ type: 'turn.failed', error: { message: "You've hit your usage limit. Try again later." } });
      cli('claude', 'echo "Invalid API key" >&2; exit 1');

      const findings = await callAgents(inPipe().context, { agent: null, entry: ENTRY });

      expect(findings).toMatchObject([
        { check: 'call claude', grade: 'fail', mend: 'sluice doctor --call claude' },
        { check: 'call codex', grade: 'warn', found: expect.stringContaining('limit reached: ') },
      ]);
    },
    LIMIT_MS,
  );

  it('is not there: that is refused, and nothing is called', async () => {
    codex({});

    await expect(callAgents(inPipe().context, { agent: 'claude-code', entry: ENTRY })).rejects.toThrow(
      '"claude-code" was not found',
    );
    expect(existsSync(join(folder, 'asked-codex'))).toBe(false);
  });

  it('is never called from inside a turn', async () => {
    codex({});
    const { context } = inPipe({ env: { PATH: folder, HOME: folder, SLUICE_TURN: 'x' } });

    await expect(callAgents(context, { agent: null, entry: ENTRY })).rejects.toThrow('inside a turn');
    expect(existsSync(join(folder, 'asked-codex'))).toBe(false);
  });
});
