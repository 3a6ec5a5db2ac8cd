/**
 * What a run leaves of the worktree's own git, where a person's next git obeys it: at each end it is as the engine made it, and what was there instead is told.
 * The person's git is a real one, and what it would start leaves a marker.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeTerminatedEnd } from '../../../activities/closing/terminated-end.js';
import { readRunToTell } from '../../../activities/unit/run-record.js';
import { removeFolders } from '../git/repository-fixture.js';
import {
  adminDirOf,
  aHostWithSubmodule,
  lookAsPerson,
  marker,
  PLANT,
  PLANTING,
  plant,
  violations,
  worktreeOf,
} from './planting-host.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

function inObjects(evil: string, kept: string): string {
  execFileSync('mv', [evil, join(kept, '../../../../objects/evil')]);
  return `gitdir: ${join(kept, '../../../../objects/evil')}\n`;
}

let host: RewindHost;
let commands: RewindHost;

beforeAll(async () => {
  host = await aHostWithSubmodule();
  // A command that leaves it in the run's worktree, wherever it runs itself.
  const line = `cd "\${PWD%+validation}" && ${PLANT}`;
  commands = await aRewindHost({
    ...PLANTING,
    config: `worktree:\n  setup: [${JSON.stringify(line)}]\nvalidation:\n  commands: [${JSON.stringify(line)}]\n`,
  });
});
beforeEach(() => rmSync(marker, { force: true }));
afterAll(() => {
  host.close();
  commands.close();
  removeFolders();
});

let runs = 0;

function aRun(of: RewindHost = host): Promise<DrivenRun> {
  runs += 1;
  return of.start(`run-${runs}`);
}

function ownFiles(admin: string): readonly (string | null)[] {
  const files = ['commondir', 'gitdir', 'HEAD', 'config.worktree'].map((name) => join(admin, name));
  return files.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : null));
}

const CHANGED = 'the .git file of the worktree was changed; it is as the engine made it again';

describe('a .git file that leads to a git dir of the agent', () => {
  it('would have a person start its program', async () => {
    const run = await aRun();
    plant(run);

    lookAsPerson(run);

    expect(existsSync(marker)).toBe(true);
  });

  it.each([
    ['a read-only turn', 'planning', 0],
    ['a write turn that is done', 'executing', 0],
    ['a turn that failed', 'executing', 1],
  ] as const)('is written anew after %s: a person must look, and starts nothing', async (_what, stage, round) => {
    const run = await aRun();

    const result = await run.runTurn(run.turnInput(stage, { round }));

    expect(result.outcome).toEqual({ kind: 'repository_changed', why: CHANGED });
    expect(violations(result.observations)).toEqual([CHANGED]);
    expect(lookAsPerson(run)).toContain(`## sluice/${run.runId}`);
    expect(existsSync(marker)).toBe(false);
  });

  it('keeps the commit of a write turn', async () => {
    const run = await aRun();

    const { head, observations } = await run.runTurn(run.turnInput('executing'));

    expect(head).not.toBe(run.opened.baseSha);
    expect(observations.map(({ type }) => type)).toContain('git.committed');
  });

  it.each(['turn.after-exit', 'turn.before-outcome', 'turn.after-outcome', 'turn.before-record'] as const)(
    'is told by the attempt after one that was killed at %s',
    async (failpoint) => {
      const run = await aRun();
      const input = run.turnInput('planning');
      host.armed = failpoint;
      await expect(run.runTurn(input)).rejects.toThrow('killed at');

      const result = await run.runTurn(input);

      expect(result.outcome).toEqual({ kind: 'repository_changed', why: CHANGED });
      expect(violations(result.observations)).toEqual([CHANGED]);
    },
  );

  it('is written anew before the next agent starts, and told by its turn', async () => {
    const run = await aRun();
    plant(run);

    const result = await run.runTurn(run.turnInput('executing', { round: 2 }));

    expect(violations(result.observations)).toEqual([CHANGED]);
  });

  it('is written anew where a turn was ended by an abort: the end of the run tells it', async () => {
    const run = await aRun();
    plant(run);

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toEqual([CHANGED]);
    lookAsPerson(run);
    expect(existsSync(marker)).toBe(false);
  });

  it('is written anew where the workflow was terminated: the missing end tells it, once', async () => {
    const run = await aRun();
    plant(run);
    const { deps } = host;
    const known = readRunToTell(deps.home, { runId: run.runId, repoKey: run.opened.repoKey });
    const end = () => writeTerminatedEnd({ ...deps, warn: () => undefined }, known, 'terminated');

    await end();
    await end();

    const told = readFileSync(join(run.opened.runDir, 'events.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(CHANGED));
    expect(told).toHaveLength(1);
    lookAsPerson(run);
    expect(existsSync(marker)).toBe(false);
  });

  it('is written anew after a set-up command and after a check', async () => {
    const run = await aRun(commands);
    const set = violations(run.opened.observations);
    lookAsPerson(run);
    const { observations } = await run.validate();
    lookAsPerson(run);

    expect([set, violations(observations)]).toEqual([[CHANGED], [CHANGED]]);
    expect(existsSync(marker)).toBe(false);
  });
});

describe('a git dir in the place of a submodule', () => {
  const PLANT_SUB = `git init -q sub && git -C sub fetch -q "$PWD" HEAD && git -C sub update-ref HEAD FETCH_HEAD && git -C sub config core.fsmonitor "touch ${marker}; false"`;

  it('is taken away: it would be started from the root of the worktree', async () => {
    const run = await aRun();
    execFileSync('/bin/sh', ['-c', PLANT_SUB], { cwd: worktreeOf(run), stdio: 'ignore' });
    lookAsPerson(run);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);

    const { observations } = await run.close('aborted');
    lookAsPerson(run);

    expect(violations(observations)).toEqual([
      expect.stringContaining(`the git dir of the submodule "sub" is not the repository's`),
    ]);
    expect(existsSync(marker)).toBe(false);
  });

  it('stays where set-up made it in the repository', async () => {
    const run = await aRun();
    const kept = join(adminDirOf(host, run), 'modules/sub');
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(worktreeOf(run), 'sub/.git'), `gitdir: ${kept}\n`);

    expect((await run.close('aborted')).observations).toEqual([]);
  });

  it.each([
    ['a NUL before what leads back', (evil: string, kept: string) => `gitdir: ${evil}\0${'/..'.repeat(40)}${kept}\n`],
    ['a second line', (evil: string, kept: string) => `gitdir: ${evil}\n${'/..'.repeat(40)}${kept}\n`],
    ['a link on the way back', (_: string, kept: string) => `gitdir: ${dirname(kept)}/link\n`],
    ['a place that nobody watches', inObjects],
    ['bytes that are no UTF-8', (_: string, kept: string) => Buffer.from(`gitdir: ${kept}/\xff/..\n`, 'latin1')],
  ])('is taken away where its file leads there by %s', async (_how, fileOf) => {
    const run = await aRun();
    const worktree = worktreeOf(run);
    const kept = join(adminDirOf(host, run), 'modules/sub');
    mkdirSync(kept, { recursive: true });
    execFileSync('/bin/sh', ['-c', PLANT_SUB], { cwd: worktree, stdio: 'ignore' });
    execFileSync('/bin/sh', ['-c', 'mkdir node_modules && mv sub/.git node_modules/evil'], { cwd: worktree });
    const evil = join(worktree, 'node_modules/evil');
    symlinkSync(evil, join(dirname(kept), 'link'));
    writeFileSync(join(worktree, 'sub/.git'), fileOf(evil, kept));

    const { observations } = await run.close('aborted');
    lookAsPerson(run);

    expect(violations(observations)).toEqual([
      expect.stringContaining(`the git dir of the submodule "sub" is not the repository's`),
    ]);
    expect(existsSync(marker)).toBe(false);
  });

  const GITLINK = [
    `git init -q node_modules/.e && git -C node_modules/.e fetch -q "$PWD" HEAD && git -C node_modules/.e update-ref HEAD FETCH_HEAD`,
    `git -C node_modules/.e config core.fsmonitor "touch ${marker}; false"`,
    `git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),node_modules/.e"`,
  ].join(' && ');

  it.each([
    ['', 'true'],
    [' that is split', 'git update-index --split-index'],
  ])("is taken away where only the worktree's own index%s says that there is one", async (_how, more) => {
    const run = await aRun();
    execFileSync('/bin/sh', ['-c', `${GITLINK} && ${more}`], { cwd: worktreeOf(run), stdio: 'ignore' });
    lookAsPerson(run);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);

    const { observations } = await run.close('aborted');
    lookAsPerson(run);

    expect(violations(observations)).toEqual([
      expect.stringContaining('the git dir of the submodule "node_modules/.e" is not'),
    ]);
    expect(existsSync(marker)).toBe(false);
  });
});

describe("the worktree's own index", () => {
  it('is taken away where it names a submodule outside of the worktree', async () => {
    const run = await aRun();
    const index = join(adminDirOf(host, run), 'index');
    const name = 'aa/evil';
    execFileSync('git', ['update-index', '--add', '--cacheinfo', `160000,${run.head},${name}`], {
      cwd: worktreeOf(run),
    });
    const bytes = readFileSync(index);
    bytes.write('../evil', bytes.indexOf(name));
    const body = bytes.subarray(0, -20);
    writeFileSync(index, Buffer.concat([body, createHash('sha1').update(body).digest()]));

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toEqual([expect.stringContaining('index of the worktree')]);
    expect(readFileSync(index).includes('../evil')).toBe(false);
  });

  it('is made again where it has a submodule whose name is no UTF-8', async () => {
    const run = await aRun();
    const line = `git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),$(printf 'node_modules/\\377')"`;
    execFileSync('/bin/sh', ['-c', line], { cwd: worktreeOf(run) });

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toEqual([
      expect.stringContaining("index of the worktree's git dir cannot be read"),
    ]);
    expect(lookAsPerson(run)).toBe(`## sluice/${run.runId}\n`);
  });
});

describe('the git of the validation checkout', () => {
  it('is gone once the checks are over: what they wrote into it starts nothing', async () => {
    const run = await aRun(commands);
    await run.validate();

    expect(existsSync(join(`${worktreeOf(run)}+validation`, '.git'))).toBe(false);
  });

  it('is gone when the run is closed', async () => {
    const run = await aRun();
    const left = join(`${worktreeOf(run)}+validation`, '.git');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'config'), '[core]\n\tfsmonitor = evil\n');

    await run.close('aborted');

    expect(existsSync(left)).toBe(false);
  });
});

describe("the worktree's git dir", () => {
  const MINE = '[core]\n\tfsmonitor = evil\n';

  it.each([
    ['commondir', 'elsewhere', (dir: string) => writeFileSync(join(dir, 'commondir'), '/elsewhere\n')],
    ['gitdir', 'elsewhere', (dir: string) => writeFileSync(join(dir, 'gitdir'), '/elsewhere/.git\n')],
    ['config.worktree', 'new', (dir: string) => writeFileSync(join(dir, 'config.worktree'), MINE)],
    ['config.worktree', 'a link', (dir: string) => symlinkSync('/elsewhere', join(dir, 'config.worktree'))],
    ['HEAD', 'no HEAD', (dir: string) => writeFileSync(join(dir, 'HEAD'), 'x\n')],
    [
      'HEAD',
      'a FIFO',
      (dir: string) => {
        rmSync(join(dir, 'HEAD'));
        execFileSync('/bin/sh', ['-c', `mkfifo '${join(dir, 'HEAD')}'`]);
      },
    ],
  ])('has its %s made again where it was %s', async (name, _how, change) => {
    const run = await aRun();
    const admin = adminDirOf(host, run);
    const before = ownFiles(admin);
    change(admin);

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toEqual([
      name === 'gitdir'
        ? expect.stringContaining('the repository did not know')
        : expect.stringContaining(`${name} of the worktree's git dir was changed`),
    ]);
    const after = ownFiles(admin);
    expect(after).toEqual(before);
    expect(lookAsPerson(run)).toBe(`## sluice/${run.runId}\n`);
  });

  it('keeps the config.worktree that it was made with', async () => {
    host.repository.git('config', 'extensions.worktreeConfig', 'true');
    host.repository.git('config', '--worktree', 'sluice.test', 'mine');
    const run = await aRun();
    const path = join(adminDirOf(host, run), 'config.worktree');
    const made = existsSync(path) ? readFileSync(path, 'utf8') : null;
    writeFileSync(path, MINE);

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toHaveLength(1);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(made);
    host.repository.git('config', '--unset', 'extensions.worktreeConfig');
  });

  it("has a person's config.worktree moved aside, not deleted", async () => {
    const run = await aRun();
    writeFileSync(join(adminDirOf(host, run), 'config.worktree'), MINE);

    await run.close('aborted');

    const beside = dirname(worktreeOf(run));
    const aside = readdirSync(beside).filter(
      (name) => name.startsWith(`.${run.runId}+config.worktree.found-`) && existsSync(join(beside, name)),
    );
    expect(aside.map((name) => readFileSync(join(beside, name), 'utf8'))).toContain(MINE);
  });

  it('is not taken for the first one where the note of that is gone', async () => {
    const run = await aRun();
    const note = join(run.stateDir, 'git/worktree-config.json');
    rmSync(note);
    writeFileSync(join(adminDirOf(host, run), 'config.worktree'), MINE);

    await run.runTurn(run.turnInput('executing', { round: 2 }));

    expect(existsSync(note)).toBe(false);
  });

  it('keeps the HEAD of a person who checked something else out there', async () => {
    const run = await aRun();
    execFileSync('git', ['checkout', '--quiet', '-b', `mine-${run.runId}`], { cwd: worktreeOf(run) });

    const { observations } = await run.close('aborted');

    expect(observations).toEqual([]);
    expect(lookAsPerson(run)).toBe(`## mine-${run.runId}\n`);
  });

  it('is left alone where a person removed the worktree, and the end is written', async () => {
    const run = await aRun();
    host.repository.git('worktree', 'remove', '--force', worktreeOf(run));

    const { observations } = await run.close('aborted');

    expect(observations).toEqual([]);
    expect(existsSync(worktreeOf(run))).toBe(false);
    expect(existsSync(adminDirOf(host, run))).toBe(false);
  });
});
