/**
 * The failpoint of a doomed process: `<home>/failpoint.json` names it and says at which call (`nth`, from 1) the process kills itself.
 * `<home>/fired` is written first, so that a test can tell that the point was reached; with it there, nothing is killed again.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function fileFailpoint(home) {
  const order = JSON.parse(readFileSync(join(home, 'failpoint.json'), 'utf8'));
  const fired = join(home, 'fired');
  let calls = 0;
  return (name) => {
    if (name !== order.name) return;
    calls += 1;
    if (calls !== order.nth || existsSync(fired)) return;
    writeFileSync(fired, `${name}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
}
