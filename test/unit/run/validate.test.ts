import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { hashChecks } from '../../../activities/checks/hash-checks.js';
import { createValidate } from '../../../activities/checks/validate.js';
import type { CommandEnd, Processes } from '../../../activities/process/contract.js';
import { artifactsOf } from '../../../activities/unit/run-projection.js';
import { frozenHash } from '../../../activities/unit/run-record.js';
import { FAILURES } from '../../../protocol/failures.js';
import type { CommandOutput, ValidateInput, ValidateResult } from '../../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../../protocol/run/artifact.js';
import type { Finding } from '../../../protocol/run/finding.js';
import type { Policy, ValidationPolicy, WorktreePolicy } from '../../../protocol/run/policy.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { aView } from '../journal/journal-builders.js';
import { type HostOptions, type OpenedHost, openHost } from './opened-host.js';

afterEach(removeFolders);

const SECRET = `ghp_${'a1'.repeat(18)}`;

function checking(commands: readonly string[], rest: Partial<ValidationPolicy> = {}): Pick<Policy, 'checks'> {
  const validation = { commands, timeoutMs: 60_000, baseFailures: 'fix', onFailure: 'fix', ...rest } as const;
  return { checks: { validation, landing: validation } };
}

const PLAIN: WorktreePolicy = {
  setup: [],
  copy: [],
  link: [],
  setupInputs: [],
  keep: [],
  setupTimeoutMs: 60_000,
  keptMs: null,
};

let places = 1;

function validate(host: OpenedHost, commit: string, round = 0): Promise<ValidateResult> {
  const input = anInput(host, commit, round);
  return host.act(() => createValidate(host.deps)(input));
}

function anInput(host: OpenedHost, commit: string, round = 0): ValidateInput {
  places += 1;
  const { runId, repoKey, baseSha } = host.run.record;
  const frozen = frozenHash(host.run.stateDir);
  return {
    place: { runId, seq: places, token: randomUUID() },
    run: { runId, repoKey, frozen },
    stage: 'validating',
    checks: 'validation',
    round,
    commit,
    baseSha,
    journal: { events: [], view: aView({ runId, status: 'validating' }), gates: null },
  };
}

async function validated(options: HostOptions, files: Readonly<Record<string, string>> = { 'a.txt': 'two\n' }) {
  const host = await openHost(options);
  const commit = await host.change(files);
  const result = await validate(host, commit);
  return {
    host,
    commit,
    result,
    findings: await read<Finding>(host, result.findings),
    output: await read<CommandOutput>(host, result.output),
  };
}

async function read<T>(host: OpenedHost, ref: ArtifactRef | null | undefined): Promise<readonly T[] | null> {
  return ref === null || ref === undefined
    ? null
    : (JSON.parse(await artifactsOf(host.deps, host.run).get(ref)) as T[]);
}

const shown = ({ run }: OpenedHost, name: string) => readFileSync(join(run.record.runDir, name), 'utf8');

describe('a validation that is red', () => {
  it('answers a finding for each red command, with the ends of its output, and what it printed', async () => {
    const flood = `echo begin ${SECRET}; i=0; while [ $i -lt 3000 ]; do echo "line $i of many"; i=$((i+1)); done; echo the end >&2; exit 3`;

    const { result, findings, output } = await validated({ policy: checking(['true', flood]) });

    expect(result.outcome.kind).toBe('failed');
    expect(findings).toHaveLength(1);
    const [finding] = findings ?? [];
    expect(finding).toMatchObject({
      id: 'V0-2',
      severity: 'high',
      category: 'correctness',
      claim: `\`${flood.replace(SECRET, '[redacted:github-token]')}\` failed with exit code 3`,
    });
    const [excerpt, where] = finding?.evidence ?? [];
    expect(where).toBe('its whole output: validation/0-2.stdout.txt, validation/0-2.stderr.txt');
    expect(excerpt).toMatch(
      /^the end\nbegin \[redacted:github-token\]\nline 0 of many\n[^]*bytes left out[^]*line 2999 of many$/,
    );
    expect(Buffer.byteLength(excerpt ?? '')).toBeLessThanOrEqual(4096);
    expect(output).toEqual([
      { command: expect.stringContaining('echo begin'), text: expect.stringContaining('line 2999 of many') },
    ]);
    expect(Buffer.byteLength(output?.[0]?.text ?? '')).toBeGreaterThan(8192);
  });

  it('names the commands and the set-up that it ran', async () => {
    const { host, result } = await validated({ policy: checking(['false']) });
    const { checks } = host.run.record.policy;

    expect(result.checks).toBe(hashChecks(checks.validation, { hostId: 'host', workplace: host.run.workplace }));
  });

  it('is the review of its round, stored before the answer, where red checks start a fix', async () => {
    const { host, commit } = await validated({ policy: checking(['printf "\\033[31mred\\033[0m\\n"; exit 1']) });

    expect(shown(host, 'review.md')).toMatch(
      new RegExp(
        `^# Review, round 0\n\nDECISION: CHANGES_REQUESTED\nCommit: ${commit}\nSource: validation\n[^]*### V0-1 \\(high, correctness\\)`,
      ),
    );
    expect(shown(host, 'review.md')).toContain('- red\n');
    expect(shown(host, 'rounds/0/review.md')).toBe(shown(host, 'review.md'));
  });

  it.each<[string, Partial<Policy>]>([
    ['red checks go to the reviewer', checking(['false'], { onFailure: 'review' })],
    ['no round is allowed', { ...checking(['false']), rounds: 0 }],
    ['no stage reviews', { ...checking(['false']), stages: ['executing', 'validating', 'fixing'] }],
    ['no stage fixes', { ...checking(['false']), stages: ['executing', 'validating', 'reviewing'] }],
  ])('is no review where %s', async (_name, policy) => {
    const { host, findings } = await validated({ policy });

    expect(findings).toHaveLength(1);
    expect(existsSync(join(host.run.record.runDir, 'review.md'))).toBe(false);
  });

  it('on the base too is a finding, unless such failures are ignored', async () => {
    const fix = await validated({ policy: checking(['false', 'grep one a.txt']) });
    const ignore = await validated({ policy: checking(['false', 'grep one a.txt'], { baseFailures: 'ignore' }) });
    const ignored = await validated({ policy: checking(['false'], { baseFailures: 'ignore' }) });

    expect(fix.findings?.map(({ id }) => id)).toEqual(['V0-1', 'V0-2']);
    expect(fix.findings?.[0]?.recommendation).toContain('red on the base commit too');
    expect(ignore.findings?.map(({ id }) => id)).toEqual(['V0-2']);
    expect(ignored.result).toMatchObject({ outcome: { kind: 'base_failures_ignored' }, findings: null });
    expect(existsSync(join(ignored.host.run.record.runDir, 'review.md'))).toBe(false);
  });

  it('because tracked files changed names them', async () => {
    const { findings, output } = await validated({ policy: checking(['echo x >> a.txt']) });

    expect(findings).toMatchObject([
      { id: 'V0-2', claim: '`echo x >> a.txt` changed tracked files', evidence: ['a.txt'] },
    ]);
    expect(output).toBeNull();
  });

  it('because set-up failed shows what that printed', async () => {
    const setup = {
      setup: ['echo no such package >&2; exit 1'],
      copy: [],
      link: [],
      setupInputs: [],
      keep: [],
      setupTimeoutMs: 60_000,
      keptMs: null,
    };

    const { findings, output } = await validated({ policy: { ...checking(['true']), worktree: setup } });

    expect(findings).toMatchObject([
      { id: 'V0-1', evidence: ['no such package', expect.stringContaining('set-up command')] },
    ]);
    expect(output).toEqual([{ command: setup.setup[0], text: 'no such package' }]);
  });
});

describe('a validation', () => {
  it('without a failure answers neither findings nor output', async () => {
    const green = await validated({ policy: checking(['true']) });
    const none = await validated({ policy: checking([]) });

    expect(green.result).toMatchObject({ outcome: { kind: 'passed' }, findings: null, output: null });
    expect(none.result).toMatchObject({ outcome: { kind: 'no_commands' }, findings: null, output: null });
  });

  it('of a second round takes the new commit, and sets up again only if a set-up input changed', async () => {
    const setup = {
      setup: ['cat lock >> made.log'],
      copy: [],
      link: [],
      setupInputs: ['lock'],
      keep: [],
      setupTimeoutMs: 60_000,
      keptMs: null,
    };
    const host = await openHost({
      files: { 'a.txt': 'one\n', lock: '1\n', '.gitignore': 'made.log\n' },
      policy: { ...checking(['cat a.txt made.log; git rev-parse HEAD']), worktree: setup },
    });
    const printed: string[] = [];
    const commits = [];
    for (const [round, files] of [
      { 'a.txt': 'two\n' },
      { 'a.txt': 'three\n' },
      { 'a.txt': 'four\n', lock: '2\n' },
    ].entries()) {
      const commit = await host.change(files);
      commits.push(commit);
      const result = await validate(host, commit, round);
      expect(result).toMatchObject({
        outcome: { kind: 'passed' },
        tree: git(host.run.record.repository.root, 'rev-parse', `${commit}^{tree}`).trim(),
      });
      printed.push(shown(host, `validation/${round}-1.stdout.txt`));
    }

    expect(printed).toEqual([`two\n1\n${commits[0]}\n`, `three\n1\n${commits[1]}\n`, `four\n2\n${commits[2]}\n`]);
    expect(host.started.filter((line) => line === setup.setup[0])).toHaveLength(2);
    expect(readdirSync(join(host.run.record.runDir, 'rounds')).sort()).toEqual(['0', '1', '2']);
    expect(JSON.parse(shown(host, 'rounds/1/validation.json'))).toMatchObject({ round: 1, commit: commits[1] });
    expect(JSON.parse(shown(host, 'validation.json'))).toMatchObject({ round: 2, commit: commits[2] });
  });

  it('sets up again where git does not have the commit any more that its checkout was set up for', async () => {
    const host = await openHost({
      files: { 'a.txt': 'one\n', lock: '1\n' },
      policy: { ...checking(['cat a.txt']), worktree: { ...PLAIN, setup: ['true'], setupInputs: ['lock'] } },
    });
    await validate(host, await host.change({ 'a.txt': 'two\n' }));
    const file = join(host.run.stateDir, 'validation-setup.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"commit":"\w+"/, `"commit":"${'d'.repeat(40)}"`));

    const { outcome } = await validate(host, await host.change({ 'a.txt': 'three\n' }), 1);

    expect(outcome).toEqual({ kind: 'passed' });
    expect(host.started.filter((line) => line === 'true')).toHaveLength(2);
  });

  it('finds nothing of what the checks of another tree left, but for the set-up and the caches that are kept', async () => {
    const look =
      'ls made left cache 2>&1 | grep -v "No such"; touch left made/by-check; mkdir -p cache && touch cache/x';
    const host = await openHost({
      files: { 'a.txt': 'one\n', '.gitignore': 'made\nleft\ncache\n' },
      policy: {
        ...checking([look]),
        worktree: { ...PLAIN, setup: ['mkdir made; touch made/by-setup'], keep: ['cache/'] },
      },
    });
    const printed: string[] = [];
    for (const [round, text] of ['two\n', 'three\n'].entries()) {
      await validate(host, await host.change({ 'a.txt': text }), round);
      printed.push(shown(host, `validation/${round}-1.stdout.txt`));
    }

    expect(printed).toEqual(['made:\nby-setup\n', 'cache:\nx\n\nmade:\nby-check\nby-setup\n']);
  });

  it('sets a checkout up again that somebody removed', async () => {
    const host = await openHost({
      files: { 'a.txt': 'one\n', '.gitignore': 'made\n' },
      policy: { ...checking(['ls made']), worktree: { ...PLAIN, setup: ['touch made'] } },
    });
    for (const round of [0, 1]) {
      const { outcome } = await validate(host, await host.change({ 'a.txt': `${round}\n` }), round);
      expect(outcome).toEqual({ kind: 'passed' });
      rmSync(host.run.workplace.checkout, { recursive: true });
    }
    expect(host.started.filter((line) => line === 'touch made')).toHaveLength(2);
  });

  it('counts what the checks left as nothing of the set-up, however often it is begun again', async () => {
    const host = await openHost({
      files: { 'a.txt': 'one\n', '.gitignore': 'made\nleft\n' },
      policy: { ...checking(['ls left; touch left', 'true']), worktree: { ...PLAIN, setup: ['touch made'] } },
    });
    const commit = await host.change({ 'a.txt': 'two\n' });
    const input = anInput(host, commit);
    const { run } = host.deps.processes;
    const ends = new Map<string, CommandEnd>();
    let isDying = true;
    // As the guard does it: what has ended is told, and nothing is prepared.
    const remembering: Processes['run'] = async (spec, hooks) => {
      if (isDying && ends.size === 2) throw new Error('the worker died');
      const end = ends.get(spec.token) ?? (await run(spec, hooks));
      ends.set(spec.token, end);
      return end;
    };
    const deps = { ...host.deps, processes: { ...host.deps.processes, run: remembering } };

    await expect(host.act(() => createValidate(deps)(input))).rejects.toThrow('the worker died');
    isDying = false;
    await host.act(() => createValidate(deps)(input));
    await validate(host, await host.change({ 'a.txt': 'three\n' }), 1);

    expect(shown(host, 'validation/1-1.stderr.txt')).toContain('left');
  });

  it('of a commit that git does not know ends for good, and says what to look at', async () => {
    const host = await openHost({ policy: checking(['true']) });

    const failure: unknown = await validate(host, 'd'.repeat(40)).catch((err: unknown) => err);

    expect(failure).toMatchObject({ nonRetryable: true, type: FAILURES.BadRepository });
    expect(String(failure)).toMatch(
      /Commit dddddddddddd of run run-1 cannot be validated: .+\n.+\n.+\nLook: git -C \S+ fsck/,
    );
    expect(host.started).toEqual([]);
  });

  it('whose checkout cannot be made, since something else stands there, ends for good', async () => {
    const host = await openHost({ policy: checking(['true']) });
    const { worktree } = host.run.record;
    writeFileSync(`${worktree}+validation`, 'a file');

    await expect(validate(host, host.run.record.baseSha)).rejects.toMatchObject({
      nonRetryable: true,
      type: FAILURES.BadRepository,
    });
  });
});
