/**
 * A repository that is full of programs, under the built worker: started by Temporal's own client, which asks nobody, its untrusted config is refused;
 * with a trusted config a whole run goes through it and runs nothing but its agent. A marker file tells what ran.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { fixtureWith, makeRepository, PLAIN_FIXTURE, type TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 300_000;

let host: TestHost;
let marker: string;
let evil: string;

beforeAll(async () => {
  host = await openTestHost();
  marker = join(host.folder, 'ran');
  evil = join(host.folder, 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat 2>/dev/null\n`);
  chmodSync(evil, 0o755);
  await host.startWorker();
}, LIMIT_MS);
afterAll(() => host.close(), LIMIT_MS);

/** On the host's list, and nobody trusted its config. */
async function untrusted(name: string, config: string): Promise<TestRepository> {
  const folder = join(host.folder, name);
  mkdirSync(folder);
  const repository = makeRepository(folder, { config });
  await addRepository(host.home, repository.path);
  return repository;
}

async function failureOf(repository: TestRepository, input: Readonly<Record<string, unknown>> = {}) {
  const run = await host.startRun(repository, input);
  const error = await run.result().catch((caught: unknown) => caught);
  // The run's own failure stands below those of workflow and activity.
  let cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  while (cause?.cause instanceof Error) cause = cause.cause;
  return { message: cause?.message ?? '', type: cause !== undefined && 'type' in cause ? cause.type : null };
}

const branches = (repository: TestRepository) =>
  repository.git('for-each-ref', '--format=%(refname)').trim().split('\n');

describe('a run that Temporal’s own client starts in a repository whose config nobody trusted', () => {
  it(
    'is refused for each way of the config to start a program, and nothing of it runs',
    async () => {
      const configs = Object.entries({
        agent: `stages: {}\n`,
        setup: `worktree: { setup: ["${evil}"] }\n`,
        validation: `validation: { commands: ["${evil}"] }\n`,
        notify: `notify: [{ command: "${evil}" }]\n`,
      });

      await Promise.all(
        configs.map(async ([name, config]) => {
          const repository = await untrusted(name, config);

          expect(await failureOf(repository)).toMatchObject({
            type: 'NotTrusted',
            message: expect.stringContaining('sluice trust'),
          });
          expect(branches(repository)).toEqual(['refs/heads/main']);
          expect(existsSync(repository.ledgerPath)).toBe(false);
          expect(readdirSync(join(repository.path, '.sluice'))).toEqual(['config.yaml']);
        }),
      );
      expect(existsSync(marker)).toBe(false);
    },
    LIMIT_MS,
  );

  it.each([
    ['programs as policy', { policy: { agents: { x: { command: '/bin/false' } } } }, 'BadInput'],
    ['commands as policy', { policy: { validation: { commands: ['x'] } } }, 'BadInput'],
    ['a config by its hash', { configHash: 'f'.repeat(64) }, 'NotTrusted'],
    ['a command by its hash', { commandHash: 'f'.repeat(64) }, 'BadInput'],
    ['a base that is an option', { base: '--upload-pack=x' }, 'BadRepository'],
  ])(
    'cannot bring its own: %s',
    async (_, input, type) => {
      const repository = await host.repository();

      expect(await failureOf(repository, input)).toMatchObject({ type });
      expect(existsSync(repository.ledgerPath)).toBe(false);
      expect(branches(repository)).toEqual(['refs/heads/main']);
    },
    LIMIT_MS,
  );
});

describe('a whole run in a repository full of programs', () => {
  it(
    'runs its agent and its validation, and no hook, filter, monitor, driver or alias',
    async () => {
      const repository = await host.repository({ files: { '.gitattributes': '* filter=evil diff=evil merge=evil\n' } });
      const hooks = join(repository.path, '.git/hooks');
      mkdirSync(hooks, { recursive: true });
      for (const hook of [
        'pre-commit',
        'commit-msg',
        'post-commit',
        'post-checkout',
        'reference-transaction',
        'post-index-change',
      ])
        writeFileSync(join(hooks, hook), readFileSync(evil), { mode: 0o755 });
      const keys =
        'core.fsmonitor diff.external filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv merge.evil.driver core.pager gpg.program';
      for (const key of keys.split(' ')) repository.git('config', key, evil);
      repository.git('config', 'commit.gpgSign', 'true');
      await trustConfig(host.home, repository.path, repository.configText);
      rmSync(marker, { force: true });

      const run = await host.startRun(repository);

      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(existsSync(marker) ? readFileSync(marker, 'utf8') : '').toBe('');
    },
    LIMIT_MS,
  );
});

describe('a run from a commit that git cannot check out', () => {
  it(
    'ends failed, with the reason, and starts no agent',
    async () => {
      const repository = await host.repository();
      const hash = (type: string, input: string | Buffer) =>
        execFileSync('git', ['hash-object', '-w', '-t', type, '--stdin', '--literally'], {
          cwd: repository.path,
          input,
        })
          .toString()
          .trim();
      let [mode, id] = ['100755', hash('blob', readFileSync(evil))];
      for (const name of ['post-checkout', 'hooks', '.GIT']) {
        id = hash('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
        mode = '40000';
      }
      repository.git('update-ref', 'refs/heads/evil', repository.git('commit-tree', id, '-m', 'evil').trim());

      const run = await host.startRun(repository, { base: 'evil' });

      expect(await run.result()).toMatchObject({ outcome: 'failed' });
      expect(run.read('report.md')).toContain(
        "git cannot check out the commit that the run starts from: error: invalid path '.GIT/hooks/post-checkout'",
      );
      expect(existsSync(repository.ledgerPath)).toBe(false);
    },
    LIMIT_MS,
  );
});

describe('an agent that leaves what git would wait for, or cannot read', () => {
  it(
    'holds nothing up: FIFOs for .gitignore and .gitattributes, and a name that is no UTF-8',
    async () => {
      const lines = `rm -f .gitignore; mkfifo .gitignore .gitattributes; mkdir sub; mkfifo sub/.gitignore; printf x > "$(printf 'odd\\377')"`;
      const executing = { ...PLAIN_FIXTURE.stages.executing, run: lines };
      const repository = await host.repository({ files: { '.gitignore': 'x\n' }, fixture: fixtureWith({ executing }) });

      const run = await host.startRun(repository);

      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
      const changed = repository.git('diff', '--name-status', 'main', `sluice/${run.runId}`).trim().split('\n');
      expect(changed).toEqual(['D\t.gitignore', 'M\ta.txt', 'A\t"odd\\377"']);
    },
    LIMIT_MS,
  );
});
