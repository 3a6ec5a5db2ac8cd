/** What it costs a worker to tell what an agent says while it says it: CPU of this process a printed MB, at the rate of an agent that is quick, beside one look a second. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { glanceAtClaude } from '../../activities/agent/adapters/claude-code/claude-glance.js';
import { LiveFile } from '../../activities/journal/live-file.js';
import type { CommandEnd } from '../../activities/process/contract.js';
import { tellingText } from '../../activities/unit/live-text.js';
import { createValueRedactor } from '../../protocol/text/value-redactor.js';
import { add, type Measuring } from '../plain-run.js';

/** **Unit** bytes: some 15 000 words a second, with what stands around them. */
const PRINTED_A_SECOND = 64 * 1024;
const EXITED = { kind: 'ended', exit: { reason: 'exited', signal: null } } as CommandEnd;

export async function measureLiveCpu({ samples }: Pick<Measuring, 'samples'>, seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-live-'));
  try {
    // What a worker has compiled after its first turns.
    await tellSeconds(join(folder, 'first'), 3, 16 * PRINTED_A_SECOND);
    const used = await tellSeconds(join(folder, 'measured'), seconds, PRINTED_A_SECOND);
    add(samples, 'liveCpuMs', used / ((seconds * PRINTED_A_SECOND) / 1_000_000));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Answers the CPU of it. **Unit** ms. */
async function tellSeconds(folder: string, seconds: number, bytes: number): Promise<number> {
  mkdirSync(folder);
  const stdout = join(folder, 'stdout');
  writeFileSync(stdout, '');
  const printed = printedBy(bytes);
  const file = new LiveFile(join(folder, 'turns', '3-executing'), { root: folder });
  const watched = { stdout, glance: glanceAtClaude, redactor: createValueRedactor(['hunter2-hunter2']), file };
  const before = process.cpuUsage();
  await tellingText(watched, async () => {
    for (let n = 0; n < seconds; n += 1) {
      appendFileSync(stdout, printed);
      await delay(1_000);
    }
    return EXITED;
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Messages of a coding CLI. */
function printedBy(bytes: number): string {
  const text = 'I look at the parser and at what calls it, and then I change the test that is red.\n'.repeat(6);
  const line = `${JSON.stringify({ type: 'assistant', message: { id: 'msg_1', content: [{ type: 'text', text }] } })}\n`;
  return line.repeat(Math.ceil(bytes / line.length));
}
