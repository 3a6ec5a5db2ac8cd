/** Child of the kill test: appends batches of one to three events for ever, from what the file holds, and says when the first of them is held. */
import { dirname } from 'node:path';
import { appendEvents } from '../../../dist/activities/journal/events-file.js';

const path = process.argv[2] ?? '';
const options = { root: dirname(path), fsync: false, failpoint: () => {} };
let held = (await appendEvents(path, { events: [], lastSeq: Number.MAX_SAFE_INTEGER }, options)).seq;
for (let round = 0; ; round += 1) {
  const batch = Array.from({ length: 1 + (round % 3) }, (_, index) => anEvent(held + 1 + index));
  held = (await appendEvents(path, { events: batch, lastSeq: held + batch.length }, options)).seq;
  if (round === 0) process.stdout.write('ready\n');
}

function anEvent(seq) {
  return { seq, timestamp: '2026-11-21T10:00:00.000Z', type: 'state.changed', message: `event ${seq}`, data: {} };
}
