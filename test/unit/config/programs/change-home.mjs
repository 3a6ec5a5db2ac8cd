/** A process of its own that writes into a sluice home: `trust <home> <repo> <text>…`, `host-id <home>` or `ensure <home>`. */
import { ensureHome } from '../../../../dist/config/home/home.js';
import { readOrMakeHostId } from '../../../../dist/config/home/host-id.js';
import { addRepository } from '../../../../dist/config/home/host-list.js';
import { trustConfig } from '../../../../dist/config/home/trust.js';

const [what = '', home = '', repo = '', ...texts] = process.argv.slice(2);
// The test waits until all are up and lets them go at once.
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
if (what === 'host-id') process.stdout.write(readOrMakeHostId(home));
else if (what === 'ensure') ensureHome(home);
else {
  for (const text of texts) await trustConfig(home, repo, text);
  await addRepository(home, repo);
}
process.stdin.destroy();
