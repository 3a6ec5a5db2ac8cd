/** What people read of a task: how far its steps are, and the page that tells what became of it. Source: docs/requirements/skep.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { JUDGED, openSkep, PLANNED, STEP, say } from '../../support/admitted-project.js';
import { openProject } from '../../support/backlog-project.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const PLAN = { ...PLANNED, plan: [STEP, { ...STEP, verb: 'add', target_file: 'b.txt', description: 'make b' }, STEP] };

const FAILS: ScriptedTurn = { run: 'echo half > b.txt', text: 'No way.', stderr: 'b is a folder', exit: 3 };

describe('what people read of a task', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  const openSteps = (project: string, second: ScriptedTurn) =>
    openProject(host, project, {
      config:
        'admission:\n  order: [[classify, plan]]\n  autoExecuteSmall: true\nexecute:\n  until: steps\n  stepCheck: none\nstageList: [planning, executing, validating]\n',
      fixture: {
        ledger: 'ledger.txt',
        stages: {},
        steps: [{ run: 'echo changed > a.txt', text: 'Changed.' }, second],
        asks: { classify: say(JUDGED), plan: say(PLAN) },
      },
    });

  const pageOf = ({ path }: TestRepository, runId: string | null | undefined) =>
    readFileSync(join(path, `.sluice/runs/${runId}/task-1-result.md`), 'utf8');

  const sectionOf = (page: string, name: string) =>
    page
      .split(`\n## ${name}\n\n`)[1]
      ?.split('\n\n## ')[0]
      ?.replace(/^```text\n|\n```$/g, '');

  it('S-100, S-101: a merged one has a page of what the engine recorded, with the commits of git', async () => {
    const { backlog, repository } = await openSkep(host, 'merged', { classify: say(JUDGED), plan: say(PLANNED) });
    const base = repository.git('rev-parse', 'main').trim();
    repository.git('switch', '-qc', 'other');
    await backlog.create([{ task: 'change the line', base: 'main' }]);
    await backlog.reaches('1', 'gated');
    await backlog.tell('1', 'approve');
    const { result } = await backlog.reaches('1', 'closed');

    await until(() => pageOf(repository, result?.runId).includes('| Merge | merged |'));
    const page = pageOf(repository, result?.runId);
    const head = repository.git('rev-parse', result?.branch ?? '').trim();
    expect(page).toMatch(/^# Task #1: change the line\n/);
    for (const [field, value] of Object.entries({
      Outcome: 'merge\\_ready',
      Branch: result?.branch,
      Base: base,
      Head: head,
    }))
      expect(page).toContain(`\n| ${field} | ${value} |\n`);
    expect(sectionOf(page, 'Steps')).toMatch(
      new RegExp(
        `^✓ 1\\. \\[modify\\] change the line → a\\.txt {2}\\(commit ${head.slice(0, 7)}\\) {2}\\[\\d+\\.\\ds\\]$`,
      ),
    );
    expect(sectionOf(page, 'Commits')).toBe(
      repository.git('log', '--reverse', '--format=%H %s', `${base}..${head}`).trim(),
    );
    expect(sectionOf(page, 'Files')).toBe('modified: a.txt\nadded: merged-1.txt');
    expect(sectionOf(page, 'Validation')).toContain('| grep -q changed a.txt | 0 |');
  });

  it('S-100, S-105: a failed one has its page too, and task show tells each step as that does', async () => {
    const { backlog, repository } = await openSteps('failing', FAILS);
    await backlog.create(['change the line']);
    const { result, admission } = await backlog.reaches('1', 'parked');

    const { stdout } = await sluiceBeside(host, ['task', 'show', '1'], { cwd: repository.path });
    const shown = stdout.slice(stdout.indexOf('plan ')).split('\n\n')[0] ?? '';
    const golden = [
      `plan     ${admission?.plan?.hash.slice(0, 12)}`,
      '  ✓ 1. [modify] change the line → a.txt  (commit SHA)  [TIME]',
      '  ✗ 2. [add] make b → b.txt  [TIME]  [retries: 1]',
      '        No way.',
      '        b is a folder',
      '  ○ 3. [modify] change the line → a.txt',
    ];
    const steps = (text: string) => text.replace(/commit \w{7}/g, 'commit SHA').replace(/\[\d+\.\ds\]/g, '[TIME]');
    expect(steps(shown).split('\n')).toEqual(golden);
    const page = pageOf(repository, result?.runId);
    expect(page).toContain('\n| Outcome | failed |\n');
    expect(steps(sectionOf(page, 'Steps') ?? '').split('\n')).toEqual(golden.slice(1).map((line) => line.slice(2)));
    const printed = await sluiceBeside(host, ['show', 'result', `${result?.runId}`], { cwd: repository.path });
    expect(printed.stdout).toBe(page);
  });

  it('S-100: an aborted one has its page, and shows the step that was cut', async () => {
    const { backlog, repository } = await openSteps('stopped', { text: 'Later.', waitFor: 'go' });
    await backlog.create(['change the line']);
    const { run } = await backlog.reaches('1', 'running');
    await until(
      () =>
        readLedger(repository.ledgerPath).filter(({ event, step }) => event === 'START' && step === '2').length === 1,
    );
    await backlog.tell('1', 'stop');
    await backlog.reaches('1', 'parked');

    expect(pageOf(repository, run)).toContain('\n| Outcome | aborted |\n');
    expect(sectionOf(pageOf(repository, run), 'Steps')).toContain('2. [add] make b → b.txt');
  });
});
