/** The demo's last word, without sluice: a plain clone, the plain tests, on the base and on the branch, or on each commit that landed. */
import { join } from 'node:path';
import { execa } from 'execa';
import { type DemoWorld, linkTape, TEST_COMMAND } from './make-demo.js';

export interface TestCount {
  readonly commit: string;
  readonly exitCode: number;
  readonly tests: number;
  readonly failed: number;
}

export interface PlainCheck {
  readonly base: TestCount;
  readonly branch: TestCount;
  /** The commands, as a person would type them. */
  readonly commands: readonly string[];
}

const TEST = `${TEST_COMMAND[0]} ${TEST_COMMAND[1]} '${TEST_COMMAND[2]}'`;

export async function plainCheck({ repo, folder }: DemoWorld, baseSha: string, branch: string): Promise<PlainCheck> {
  const clone = join(folder, 'check');
  await makeClone(repo, clone);
  const base = await countTests(clone, baseSha);
  const onBranch = await countTests(clone, `origin/${branch}`);
  const commands = [baseSha.slice(0, 12), `origin/${branch}`].map(
    (commit) => `cd ${clone} && git checkout -q ${commit} && ${TEST}`,
  );
  return { base, branch: onBranch, commands };
}

export interface LandedCommit extends TestCount {
  readonly subject: string;
}

export interface LandedCheck {
  /** The first parents of main since the base, the oldest first. */
  readonly landed: readonly LandedCommit[];
  /** Every commit since the base whose trailers say that it is of a step of a plan, whose `step` is `minimist-4 step 2`. */
  readonly steps: readonly (LandedCommit & { readonly step: string })[];
  /** What has no place in the history of main, of the branches that were to land. */
  readonly missing: readonly string[];
  /** As `git status --porcelain` says it of the person's checkout, which stands on main. */
  readonly status: string;
  readonly commands: readonly string[];
}

export async function checkLanded(
  { repo, folder }: DemoWorld,
  { baseSha, branches }: { readonly baseSha: string; readonly branches: readonly string[] },
): Promise<LandedCheck> {
  const clone = join(folder, 'check-landed');
  await makeClone(repo, clone);
  const range = `${baseSha}..origin/main`;
  const isFirst = new Set((await readGit(clone, ['rev-list', '--first-parent', range])).split('\n'));
  const counted: (LandedCommit & { readonly step: string })[] = [];
  for (const one of await readLog(clone, range))
    if (isFirst.has(one.commit) || one.step !== NO_STEP)
      counted.push({ ...one, ...(await countTests(clone, one.commit)) });
  const steps = counted.filter(({ step }) => step !== NO_STEP);
  const merged = await readGit(clone, [
    'branch',
    '--remotes',
    '--format=%(refname:lstrip=3)',
    '--merged',
    'origin/main',
  ]);
  return {
    landed: counted
      .filter(({ commit }) => isFirst.has(commit))
      .map(({ commit, subject, exitCode, tests, failed }) => ({ commit, subject, exitCode, tests, failed })),
    steps,
    missing: branches.filter((branch) => !merged.split('\n').includes(branch)),
    status: await readGit(repo, ['status', '--porcelain']),
    commands: [
      `cd ${clone} && git log --first-parent --oneline ${baseSha.slice(0, 12)}..origin/main`,
      ...(steps.length > 0 ? [`git log --grep '^Sluice-Step: ' --oneline ${baseSha.slice(0, 12)}..origin/main`] : []),
      `git checkout -q <each of them> && ${TEST}`,
    ],
  };
}

const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x2C)`;
const STEP_FORMAT = `${trailer('Sluice-Task')} step ${trailer('Sluice-Step')}`;
/** Of a commit without those trailers. */
const NO_STEP = ' step ';

/** The oldest first. */
async function readLog(clone: string, range: string) {
  const log = await readGit(clone, ['log', '--reverse', `--format=%H%x00%s%x00${STEP_FORMAT}`, range]);
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', subject = '', step = NO_STEP] = line.split('\0');
      return { commit, subject, step };
    });
}

async function makeClone(repo: string, clone: string): Promise<void> {
  await execa('git', ['clone', '--quiet', '--template=', repo, clone], { stdin: 'ignore' });
  await linkTape(clone);
}

async function readGit(cwd: string, args: readonly string[]): Promise<string> {
  return (await execa('git', args, { cwd, stdin: 'ignore' })).stdout;
}

async function countTests(clone: string, commit: string): Promise<TestCount> {
  await execa('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone, stdin: 'ignore' });
  const [program, ...args] = TEST_COMMAND;
  const { exitCode = 1, stdout } = await execa(program, args, { cwd: clone, reject: false, stdin: 'ignore' });
  const count = (name: string) => Number(new RegExp(`^# ${name} +(\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
  return { commit, exitCode, tests: count('tests'), failed: count('fail') };
}
