/** A plan that is asked of a CLI outside a sandbox, over a repository whose plugins that CLI would run unasked. */
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repoKeyOf } from '../../activities/git/refs/find-repository.js';
import { JUDGED, say } from '../support/admitted-project.js';
import { openBacklog } from '../support/backlog-client.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

describe('a task of a repository with plugins', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });
  afterAll(() => host.close());

  it('is planned by no CLI that would run them, and waits for a person who is told why', async () => {
    const [program, began] = [join(host.folder, 'opencode'), join(host.folder, 'began')];
    writeFileSync(program, `#!/bin/sh\ntouch ${began}\n`, { mode: 0o755 });
    const repository = await host.repository({
      config: `  planner:\n    adapter: opencode\n    command: ${JSON.stringify(program)}\nvalidation:\n  commands: ["true"]\nproject:\n  name: plugged\nsandbox: off\nadmission:\n  order: [[classify, plan]]\nasks:\n  plan:\n    agent: planner\n`,
      fixture: { ledger: 'ledger.txt', stages: {}, asks: { classify: say(JUDGED) } },
    });
    const backlog = await openBacklog(host.client, { project: 'plugged', repo: repository.path, host: host.hostId });
    repository.write('.opencode/plugin/evil.js', 'x\n');
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '-m', 'Plugin');
    await backlog.create(['change the line']);

    const { reason, why } = await backlog.reaches('1', 'gated');

    expect(reason).toBe('plan_failed');
    expect(why).toContain('.opencode/plugin of the repository has plugins');
    expect(existsSync(began)).toBe(false);
    // What it was to look at is there for the next ask.
    const key = repoKeyOf(host.hostId, join(realpathSync(repository.path), '.git'));
    expect(existsSync(join(host.home, 'items', key, '1/asks/plan/turns'))).toBe(true);
    expect(existsSync(join(host.home, 'items', key, '1/asks/plan/checkout'))).toBe(false);
  });
});
