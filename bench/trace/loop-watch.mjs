/**
 * Imported into a worker before its own program: on SIGUSR2 it begins to watch how long the loop of this process stands still, and on the next one writes the longest stop to
 * `<home>/loop.json` and ends. Until then it does nothing. Unit: ms.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;
let watch = null;

// A thread has no signals.
if (isMainThread)
  process.on('SIGUSR2', () => {
    if (watch === null) {
      watch = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      watch.enable();
      return;
    }
    watch.disable();
    const path = join(process.env['SLUICE_HOME'], 'loop.json');
    // What it measures is the time between two looks.
    writeFileSync(`${path}.new`, JSON.stringify({ longestMs: Math.max(0, watch.max / 1e6 - RESOLUTION_MS) }));
    renameSync(`${path}.new`, path);
    watch = null;
  });
