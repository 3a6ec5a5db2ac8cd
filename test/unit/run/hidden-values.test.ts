/**
 * What a run's agents were given by variable stands in no file that people are shown, in no artifact, and in nothing that goes to the
 * server.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shownValidation } from '../../../activities/journal/shown-validation.js';
import { artifactsOf } from '../../../activities/unit/run-projection.js';
import { readRunToTell } from '../../../activities/unit/run-record.js';
import { hidingInErrors, redactorOf, withoutValuesIn } from '../../../activities/unit/run-redactor.js';
import type { ValidateResult } from '../../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../../protocol/run/artifact.js';
import type { Policy } from '../../../protocol/run/policy.js';
import { createValueRedactor } from '../../../protocol/text/value-redactor.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

/** Of no known shape, and told by no name beside it. */
const VALUE = 'quiet "otter" of-nine';
const IN_JSON = JSON.stringify(VALUE).slice(1, -1);
/** The same in a name of a file. */
const WORD = 'quiet-otter-of-ten';

const FINDING = {
  id: VALUE,
  severity: 'high',
  category: 'tests',
  claim: `It prints ${VALUE}`,
  evidence: [VALUE],
  recommendation: VALUE,
};

const fixture = fixtureWith({
  planning: {
    text: `The plan: ${VALUE}`,
    stderr: `${VALUE}\n`,
    humanApproval: { reason: `see ${VALUE}`, risk: 'low', action: VALUE },
  },
  architecting: { text: 'One file.', question: `Is ${VALUE} right?` },
  executing: [
    { text: VALUE, files: { [`.github/workflows/${WORD}.yml`]: `${VALUE}\n` }, commit: `use ${VALUE}` },
    { text: VALUE, stderr: `broken: ${VALUE}\n`, exit: 9 },
  ],
  reviewing: { text: VALUE, files: { [`${WORD}.md`]: '' }, findings: [FINDING], decision: 'CHANGES_REQUESTED' },
  fixing: {
    text: VALUE,
    append: { 'a.txt': 'fixed\n' },
    responses: [{ id: 'F1', disposition: 'fix', rationale: VALUE }],
  },
  verifying: { text: VALUE, decision: 'PASSED' },
});

/** Of the engine's own files and answers: a kind, a name of a field, a decision. */
const ENGINE_WORDS = {
  ISOLATION: 'worktree',
  FIELD: 'commands',
  DECISION: 'CHANGES_REQUESTED',
  NAME: 'recommendation',
};

const env = JSON.stringify({ CORP_LOGIN: VALUE, CORP_NAME: WORD, ...ENGINE_WORDS });
const config = `    env: ${env}\nvalidation:\n  commands: ["cat .github/workflows/*.yml; ls .github/workflows >&2; exit 1"]\n`;

let host: RewindHost;
let run: DrivenRun;
let validated: ValidateResult;
/** All that the activities answered: what the server would keep. */
const told: unknown[] = [];

beforeAll(async () => {
  host = await aRewindHost({ fixture, config });
  run = await host.start('run-1');
  told.push(run.opened);
  for (const stage of ['planning', 'architecting', 'executing'] as const) told.push(await run.turn(stage));
  validated = await run.validate();
  told.push(validated);
  told.push(await run.turn('reviewing'));
  run.round = 1;
  for (const stage of ['executing', 'fixing', 'verifying'] as const) told.push(await run.turn(stage));
  await run.close('blocked');
}, 300_000);

afterAll(() => host.close());

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

const holding = (paths: readonly string[]) =>
  paths.filter((path) => {
    const text = readFileSync(path, 'utf8');
    return [VALUE, IN_JSON, WORD].some((form) => text.includes(form));
  });

describe('a value of the environment of an agent', () => {
  it('stands in no question of the agent for permission, nor in what it offers', () => {
    const options = [{ id: `run ${VALUE}`, name: `Allow: curl ${VALUE}`, kind: 'allow_once' }];
    const asks = { kind: 'needs_input', why: `may it run ${VALUE}`, permission: { key: 'k', options } } as const;

    const said = withoutValuesIn(asks, createValueRedactor([VALUE]));

    expect(JSON.stringify(said)).not.toContain('otter');
    expect(said).toMatchObject({
      permission: { key: 'k', options: [{ name: 'Allow: curl [redacted:environment]', kind: 'allow_once' }] },
    });
  });

  it('was printed in every stage, and by a check', () => {
    const raw = filesBelow(run.stateDir).filter((path) => /\/std(?:out|err)$/.test(path));

    expect(holding(raw).length).toBeGreaterThanOrEqual(8);
  });

  it('stands in no file of the run directory', () => {
    const files = filesBelow(run.opened.runDir);

    expect(files.length).toBeGreaterThan(20);
    expect(holding(files)).toEqual([]);
    expect(readFileSync(join(run.opened.runDir, 'plan.md'), 'utf8')).toContain('The plan: [redacted:environment]');
  });

  it('stands in no artifact', () => {
    const artifacts = filesBelow(join(run.stateDir, 'artifacts'));

    expect(artifacts.length).toBeGreaterThan(5);
    expect(holding(artifacts)).toEqual([]);
  });

  it('stands in nothing that an activity answers: outcome, question, gate, paths and observations', () => {
    const answers = JSON.stringify(told);

    expect(answers).not.toContain(IN_JSON);
    expect(answers).not.toContain(WORD);
    expect(answers).toContain('see [redacted:environment]');
  });

  it('that is a word of the engine changes nothing that is read again', async () => {
    const onHost = readRunToTell(host.deps.home, { runId: 'run-1', repoKey: run.opened.repoKey });
    const { report, findings } = validated;
    const read = async (ref: ArtifactRef | null): Promise<unknown> =>
      ref && JSON.parse(await artifactsOf(host.deps, onHost).get(ref));

    expect(await read(report)).toMatchObject({ commands: [{ status: 'failed' }], summary: { total: 1, failed: 1 } });
    expect(await read(findings)).toMatchObject([
      { severity: 'high', category: 'correctness', claim: expect.anything() },
    ]);
    expect(shownValidation(run.opened.runDir)).toMatchObject({ commands: [{ status: 'failed' }] });
    expect(told).toContainEqual(expect.objectContaining({ decision: { kind: 'review', value: 'CHANGES_REQUESTED' } }));
  });

  it("stands in no message of the engine's commits", () => {
    expect(host.repository.git('log', '--format=%B', run.opened.branch)).not.toContain(VALUE);
  });

  it('stands in no error that an activity ends with, nor in its cause', async () => {
    const onHost = readRunToTell(host.deps.home, { runId: 'run-1', repoKey: run.opened.repoKey });
    const error = new Error(`cannot read ${VALUE}`, { cause: new Error(WORD) });

    await expect(hidingInErrors(onHost, () => Promise.reject(error))).rejects.toBe(error);
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toMatch(/otter/);
  });

  it.each(['quietly', VALUE])(
    'stands in no error of the platform whose message is %j, and that error is thrown',
    async (said) => {
      const onHost = readRunToTell(host.deps.home, { runId: 'run-1', repoKey: run.opened.repoKey });
      const error = Object.assign(new Unassignable(said), { cause: new Error(WORD) });

      await expect(hidingInErrors(onHost, () => Promise.reject(error))).rejects.toBe(error);
      expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toMatch(/otter/);
    },
  );
});

/** As a DOMException is, which is no error of this realm: its message can only be read. */
class Unassignable extends Error {
  constructor(private readonly said: string) {
    super();
  }

  override get message(): string {
    return this.said;
  }
}

describe('a value that stands in the names of its run', () => {
  it('is told by them, and hidden in none, so that the run is found by its files', () => {
    const given = { SERVICE: 'checkout-service', X_TOKEN: 'swordfish' };
    const named = {
      runId: 'checkout-service-7',
      workflowId: 'checkout-service-7',
      branch: 'sluice/checkout-service-7',
      baseBranch: 'main',
      worktree: '/home/somebody/worktrees/checkout-service-7',
    };
    const policy = { agents: { robot: { env: given } } } as unknown as Policy;

    expect(redactorOf({ record: { policy, ...named } }).json({ ...named, said: 'swordfish' })).toEqual({
      ...named,
      said: expect.not.stringContaining('swordfish'),
    });
    expect(redactorOf({ record: { policy } }).json(named)).not.toEqual(named);
  });
});
