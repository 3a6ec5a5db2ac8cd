/** Hands the mark of one folder from owner to owner for ever, until it is killed. */
import { takeOver } from '../../../dist/activities/git/worktree/owner-mark.js';

const [path = ''] = process.argv.slice(2);
for (let n = 1; ; n += 1) {
  const mark = await takeOver(path, `owner-${n - 1}`, `owner-${n}`);
  if (mark === null || mark === 'broken' || mark.owner !== `owner-${n}`) throw new Error(JSON.stringify(mark));
  if (n === 20) process.stdout.write('started\n');
}
