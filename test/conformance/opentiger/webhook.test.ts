/** A pull request that a person merges: with the forge's web hook the landing hears of it, and without one it looks each minute. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { FakeWebhook, pullEvent } from '../../support/forge/fake-webhook.js';
import { writeHostSettings } from '../../support/host-settings.js';
import { landingOf } from '../../support/landed-runs.js';
import { deeds, RULES } from '../../support/landing-world.js';
import { closedRun } from '../../support/queued-runs.js';
import { SHOWN_PULL, seen, shownByPull } from '../../support/shown-pull.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const MINUTE_MS = 60_000;
/** Before the landing would look by itself. */
const HEARD_MS = 45_000;

const SECRET = 'the secret of this web hook';

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a pull request that is merged by hand', () => {
  let host: TestHost;
  let forge: FakeForge;

  beforeAll(async () => {
    host = await openTestHost();
    forge = await openFakeForge(join(host.folder, 'forge'), 'acme/shop');
    const port = await freePort();
    const hook = new FakeWebhook({ url: `http://127.0.0.1:${port}/`, secret: SECRET }, forge.faults);
    forge.state.changed = (pull) => void hook.tell('pull_request', pullEvent({ name: 'Acme/Shop' }, pull));
    writeHostSettings(host, `engine: { webhook: { port: ${port}, secretEnv: SHOP_HOOK } }\n`);
    await host.startWorker({ env: { GH_TOKEN: forge.token, SHOP_HOOK: SECRET } });
  });

  afterAll(async () => {
    await host.close();
    forge.close();
  });

  it(
    'T-80: is merged as soon as its forge has said so, be it twice and after a forged word, where there is a webhook',
    async () => {
      const repository = await host.repository({
        config: `stageList: [executing, validating]
validation: { commands: ["grep -q changed a.txt"] }
forge: { repo: acme/shop, apiUrl: "${forge.apiUrl}" }
`,
      });
      repository.git('push', '-q', forge.state.bare, 'main');
      const runId = await closedRun(host, repository);
      await until(async () => (await landingOf(host, runId).catch(() => null))?.pull?.at === 'draft');
      const pull = forge.state.pull(1);
      forge.faults.arm('webhook', { kind: 'delivery', how: 'forged' });
      forge.state.touch(pull);
      forge.faults.arm('webhook', { kind: 'delivery', how: 'doubled' });
      const commit = forge.state.merge(pull, 'ann');

      await until(async () => (await landingOf(host, runId)).merge === 'merged', HEARD_MS);
      expect(await landingOf(host, runId)).toMatchObject({ commit, gates: [] });
    },
    LIMIT_MS,
  );

  it('T-80: is merged within a minute where there is none', () => {
    const world = shownByPull();
    const lookAt = RULES.wakesAt(world.state) ?? Number.NaN;
    expect(lookAt - world.now).toBeLessThanOrEqual(MINUTE_MS);
    world.now = lookAt;
    world.tell({ kind: 'tick' });
    expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'lookAtPull', input: { number: 7 } });
    world.tell(seen({ state: 'merged', mergeCommit: SHOWN_PULL.head }));
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: SHOWN_PULL.head });
  });
});
