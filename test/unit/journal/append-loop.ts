/** Child of the kill test: appends batches of one to three events for ever, from what the file holds, and says when it begins. */
import { dirname } from 'node:path';
import { appendEvents } from '../../../activities/journal/events-file.js';
import { events, NO_FAIL } from './journal-builders.js';

const path = process.argv[2] ?? '';
const options = { root: dirname(path), ...NO_FAIL };
let held = (await appendEvents(path, { events: [], lastSeq: Number.MAX_SAFE_INTEGER }, options)).seq;
process.stdout.write('ready\n');
for (let round = 0; ; round += 1) {
  const batch = events(held + 1, held + 1 + (round % 3));
  held = (await appendEvents(path, { events: batch, lastSeq: held + batch.length }, options)).seq;
}
