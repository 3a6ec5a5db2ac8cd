/** Replaces one file for ever, each time by a larger whole content, until it is killed. */
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../../dist/activities/journal/write-file.js';

const [path = ''] = process.argv.slice(2);
for (let n = 1; ; n += 1) {
  await writeFileAtomic(path, JSON.stringify({ n, rest: 'x'.repeat((n * 997) % 100_000), end: n }), {
    root: dirname(path),
    fsync: false,
  });
  if (n === 20) process.stdout.write('started\n');
}
