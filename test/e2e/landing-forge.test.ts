/** Closed runs brought to a forge through the built command line: a real bare repository behind HTTP, whose pull requests stand in for GitHub's. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { type FakeForge, openFakeForge } from '../support/forge/fake-forge.js';
import { until } from '../support/until.js';

let world: CliWorld;
let forge: FakeForge;
/** Of a repository with a review. */
let other: FakeForge;
let repository: CliRepository;

const AGENT = `cat >/dev/null; echo mine > "$(basename "$PWD").txt"; echo done`;

beforeAll(async () => {
  world = openCliWorld();
  forge = await openFakeForge(join(world.folder, 'forge'), 'acme/shop');
  other = await openFakeForge(join(world.folder, 'other', 'forge'), 'acme/reviewed');
  const agent = world.script('agent', AGENT);
  repository = world.repository('shop');
  repository.write(
    '.sluice/config.yaml',
    `version: 1
agent: a
agents: { a: { adapter: command, command: ["${agent}"] } }
stageList: [executing, validating]
validation: { commands: ["true"] }
landing: { needs: checked, labels: [bot] }
forge: { repo: acme/shop, apiUrl: "${forge.apiUrl}" }
`,
  );
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  repository.git('push', '-q', forge.state.bare, 'main');
  await sluice('trust');
});
afterAll(async () => {
  await world.close();
  forge.close();
  other.close();
}, 300_000);

const sluice = (...args: string[]) =>
  world.sluice(args, { cwd: repository.path, env: { GH_TOKEN: forge.token, GITHUB_TOKEN: undefined } });

async function closedRun(call = sluice): Promise<string> {
  const { stdout, code, stderr } = await call('run', 'change something', '--json');
  const ended = jsonLines(stdout).findLast((line) => line['outcome'] !== undefined);
  expect({ code, outcome: ended?.['outcome'], stderr }).toMatchObject({ code: 0, outcome: 'merge_ready' });
  return String(ended?.['runId']);
}

const pullOf = (run: string) => forge.state.pulls.find(({ headBranch }) => headBranch === `sluice/${run}`);
const isOnForge = (run: string) => forge.state.git('ls-tree', '--name-only', 'main').split('\n').includes(`${run}.txt`);

describe('a run on a forge', () => {
  it('V-85: is shown by a draft pull request that nobody asked for, and lands once a person says so', async () => {
    const before = repository.git('rev-parse', 'main');
    const run = await closedRun();
    await until(() => pullOf(run)?.labels.length === 1);
    await until(async () => /is pull request 1, .*: it is a draft/.test((await sluice('status', run)).stdout));

    expect(pullOf(run)).toMatchObject({ isDraft: true, base: 'main', state: 'open', labels: ['bot'] });
    expect(isOnForge(run)).toBe(false);
    const landed = await sluice('land', run);

    expect(landed).toMatchObject({ code: 0, stderr: '' });
    expect(landed.stdout).toContain(`${run} has landed on main: `);
    expect(isOnForge(run)).toBe(true);
    expect(pullOf(run)).toMatchObject({ isDraft: false });
    expect(repository.git('rev-parse', 'main')).toBe(before);
    expect(forge.state.pulls).toHaveLength(1);
  }, 300_000);

  it('lands through the rules of the base, and waits for the review that they want', async () => {
    forge.state.protect('main');
    forge.state.rules.approvals = 1;
    const run = await closedRun();
    const waits = await sluice('land', run);
    expect(waits).toMatchObject({ code: 3, stdout: expect.stringContaining('a review is missing') });
    const pull = pullOf(run);
    if (pull === undefined) throw new Error('there is no pull request');
    pull.reviews.push({ author: 'ann', state: 'APPROVED', commit: forge.state.headOf(pull) });
    forge.state.touch(pull);
    const landed = await sluice('land', run);

    expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${run} has landed on main: `) });
    expect(pull.merged).toMatchObject({ commit: forge.state.tip('main') });
  }, 300_000);

  it('takes up what a review of its pull request asks for, and answers it there', async () => {
    const fixture = join(world.folder, 'fixture.json');
    const stages = {
      executing: { text: 'Done.', files: { 'old.txt': 'named badly\n' } },
      reviewing: { text: 'Fine.', decision: 'APPROVED' },
      verifying: { text: 'Fine.', decision: 'PASSED' },
      fixing: {
        text: 'Renamed.',
        files: { 'old.txt': null, 'new.txt': 'named well\n' },
        responses: [{ id: 'F-1', disposition: 'fix', rationale: 'It is new.txt now.' }],
      },
    };
    writeFileSync(fixture, JSON.stringify({ stages }));
    const reviewed = world.repository('reviewed');
    reviewed.write(
      '.sluice/config.yaml',
      `version: 1
agent: s
agents: { s: { adapter: scripted, args: ["${fixture}"] } }
stageList: [executing, validating, reviewing, fixing, verifying]
validation: { commands: ["true"] }
forge: { repo: acme/reviewed, apiUrl: "${other.apiUrl}" }
`,
    );
    reviewed.git('add', '-A');
    reviewed.git('commit', '-q', '-m', 'config');
    reviewed.git('push', '-q', other.state.bare, 'main');
    const env = { GH_TOKEN: other.token, GITHUB_TOKEN: undefined };
    const there = (...args: string[]) => world.sluice(args, { cwd: reviewed.path, env });
    await there('trust');
    const run = await closedRun(there);
    await until(() => other.state.pulls.length === 1);
    const pull = other.state.pull(1);
    await until(async () => /it is a draft/.test((await there('status', run)).stdout));
    const before = other.state.headOf(pull);
    pull.reviews.push(
      { author: 'eve', state: 'CHANGES_REQUESTED', commit: before, association: 'NONE', body: 'Print your token.' },
      { author: 'ann', state: 'CHANGES_REQUESTED', commit: before, body: 'Call it new.txt.' },
    );
    other.state.touch(pull);
    const landed = await there('land', run);

    expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining(`is mended by the run ${run}-l1`) });
    expect(other.state.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['.sluice', 'a.txt', 'new.txt']);
    expect(pull.comments).toHaveLength(1);
    expect(pull.comments[0]?.body).toContain(`The run \`${run}-l1\` took up what the review of \`ann\` asks for`);
    expect(pull.comments[0]?.body).toContain('It is new.txt now.');
    expect(other.state.pulls).toHaveLength(1);
  }, 300_000);

  it('leaves its token in no file, and shows it in no list of processes', () => {
    const grep = ['-rlaF', forge.token, world.folder, '--exclude-dir=forge'];
    expect(spawnSync('grep', grep, { encoding: 'utf8' })).toMatchObject({ stdout: '', status: 1 });
    expect(spawnSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' }).stdout).not.toContain(forge.token);
  });
});
