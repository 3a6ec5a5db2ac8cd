/**
 * Stands where a coding CLI stands, so that a turn costs what the engine and its adapter cost: `/bin/sh` prints what the real CLI once printed (a recorded
 * transcript of the tests) and notes its own time. The stub of an ACP agent speaks the protocol's three steps by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TRANSCRIPTS = fileURLToPath(new URL('../test/unit/agent/transcripts', import.meta.url));

export const STUBBED = ['claude-code', 'codex', 'opencode', 'acp'] as const;
export type Stubbed = (typeof STUBBED)[number];

const ACP_STUB = `
const { appendFileSync } = require('node:fs');
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 'bench' },
  'session/prompt': { stopReason: 'end_turn' },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'The plan.' } };
  if (method === 'session/prompt')
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'bench', update } }) + '\\n');
  say(id, answers[method] ?? null);
});
process.on('exit', () => appendFileSync(process.argv[2], 'acp ' + performance.now() + '\\n'));
`;

export interface CliStubs {
  /** Lines of YAML below `agents:`, one agent for each of `STUBBED`. */
  readonly configLines: readonly string[];
  /** How long the stub's processes were at work, in order. Unit: ms. */
  ownMs(stub: Stubbed): readonly number[];
}

export const NO_STUBS: CliStubs = { configLines: [], ownMs: () => [] };

/** `folder` exists and is the stubs' alone. */
export function makeCliStubs(folder: string): CliStubs {
  const clock = join(folder, 'stub-clock');
  const acp = join(folder, 'acp-stub.cjs');
  writeFileSync(clock, '');
  writeFileSync(acp, ACP_STUB);
  const shell = (name: Stubbed): string => {
    const path = join(folder, `${name}.sh`);
    const transcript = join(TRANSCRIPTS, name, 'success.stdout');
    writeFileSync(
      path,
      `began=$(date +%s%N)\ncat > /dev/null\ncat '${transcript}'\necho "${name} $began $(date +%s%N)" >> '${clock}'\n`,
    );
    return `{adapter: ${name}, command: [/bin/sh, ${path}]}`;
  };
  const entry = (name: Stubbed) =>
    name === 'acp' ? `{adapter: acp, command: [${process.execPath}, ${acp}, ${clock}]}` : shell(name);
  return {
    configLines: STUBBED.map((name) => `  stub-${name}: ${entry(name)}`),
    ownMs: (stub) =>
      readFileSync(clock, 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .flatMap(([name, from, to]) =>
          name !== stub ? [] : [to === undefined ? Number(from) : (Number(to) - Number(from)) / 1e6],
        ),
  };
}
