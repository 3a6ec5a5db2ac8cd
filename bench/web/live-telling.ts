/**
 * A process that tells what agents print, as a worker does while they print it. Arguments: seconds that each lasts, and a folder to work in. It prints the CPU that this took a MB, beyond
 * agents that print the same while nobody tells it. **Unit** ms.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveFile } from '../../activities/journal/live-file.js';
import type { CommandEnd } from '../../activities/process/contract.js';
import { tellingText } from '../../activities/unit/live-text.js';
import { createValueRedactor } from '../../protocol/text/value-redactor.js';

/** Of each second, of one agent; a turn tells a MiB at most. */
const PIECE_BYTES = 125_000;
const AGENTS = 4;
const LINE = 'The bench agent looked at part-7/file-3.txt, found line 12 of it in order, and left it as it is.\n';
const EXITED = { kind: 'ended', exit: { reason: 'exited', signal: null } } as CommandEnd;

const [, , seconds, parent = ''] = process.argv;
const folder = mkdtempSync(join(parent, 'live-'));

/** Answers the CPU of this process meanwhile. **Unit** ms. */
async function tellAll(name: string, { isTold, bytes }: { readonly isTold: boolean; readonly bytes: number }) {
  const piece = LINE.repeat(Math.ceil(bytes / LINE.length));
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      const stdout = join(folder, `${name}-${n}`);
      writeFileSync(stdout, '');
      const file = new LiveFile(`${stdout}-turn`, { root: folder });
      const turn = { stdout, glance: null, redactor: createValueRedactor(['hunter2-hunter2']), file };
      await tellingText(isTold ? turn : null, async () => {
        for (let second = 0; second < Number(seconds); second += 1) {
          appendFileSync(stdout, piece);
          await delay(1_000);
        }
        return EXITED;
      });
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

try {
  // The first compiles what the others find.
  await tellAll('first', { isTold: true, bytes: PIECE_BYTES });
  const told = await tellAll('told', { isTold: true, bytes: PIECE_BYTES });
  const untold = await tellAll('untold', { isTold: false, bytes: PIECE_BYTES });
  console.log((told - untold) / ((AGENTS * Number(seconds) * PIECE_BYTES) / 1_000_000));
} finally {
  rmSync(folder, { recursive: true });
}
