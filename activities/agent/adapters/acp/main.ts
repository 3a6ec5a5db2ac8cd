/**
 * The client of `adapter: acp`: `node main.js <program> [arguments]`, the turn on stdin (turn-spec.ts), events as JSON lines on stdout. It speaks ACP with the
 * program, which it starts in its own process group, and ends no later than that. Started by the guard, like any agent.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeForeignDescriptors } from '../../../../config/system/foreign-descriptors.js';
import { type AgentEnd, startAgent } from './agent-process.js';
import { AcpTurn, type Tell } from './client-turn.js';
import { readSpec } from './turn-spec.js';

/** As a shell says it of a program that is not there. */
const EXIT_CANNOT_START = 127;

/** **Unit** ms. */
const LAST_WORDS_MS = 500;

const tell: Tell = (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);

closeForeignDescriptors();
// At once: a daemon of the agent may keep its output open.
void main(process.argv.slice(2)).then((code) => process.exit(code));

async function main(argv: readonly string[]): Promise<number> {
  const { spec, prompt } = readSpec(await text(process.stdin));
  const turn = new AcpTurn(spec, tell);
  const agent = startAgent({
    argv,
    cwd: spec.cwd,
    take: (message) => turn.update(message),
    passedOver: (what) => tell({ type: 'passed_over', what }),
  });
  process.on('SIGTERM', () => agent.terminate());
  const taken = turn.take(prompt, agent);
  // What it said last may be under way when it is gone.
  const how = await Promise.race([
    taken,
    agent.ended.then(() => Promise.race([taken, sleep(LAST_WORDS_MS, 'lost' as const)])),
  ]);
  await agent.close();
  if (how !== 'lost') return how === 'finished' ? 0 : 1;
  const end = await agent.ended;
  tell({ type: 'died', ...end });
  if (end.error !== null) process.stderr.write(`the agent cannot be started: ${end.error}\n`);
  return exitCodeOf(end);
}

/** Never 0: it did not finish its turn. */
function exitCodeOf({ exitCode, error }: AgentEnd): number {
  if (error !== null) return EXIT_CANNOT_START;
  return exitCode === null || exitCode === 0 ? 1 : exitCode;
}
