/** The demo's last word, without sluice: a plain clone, the plain tests, on the base and on the branch. */
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

export async function plainCheck({ repo, folder }: DemoWorld, baseSha: string, branch: string): Promise<PlainCheck> {
  const clone = join(folder, 'check');
  await execa('git', ['clone', '--quiet', '--template=', repo, clone], { stdin: 'ignore' });
  await linkTape(clone);
  const base = await countTests(clone, baseSha);
  const onBranch = await countTests(clone, `origin/${branch}`);
  const test = `${TEST_COMMAND[0]} ${TEST_COMMAND[1]} '${TEST_COMMAND[2]}'`;
  const commands = [baseSha.slice(0, 12), `origin/${branch}`].map(
    (commit) => `cd ${clone} && git checkout -q ${commit} && ${test}`,
  );
  return { base, branch: onBranch, commands };
}

async function countTests(clone: string, commit: string): Promise<TestCount> {
  await execa('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone, stdin: 'ignore' });
  const [program, ...args] = TEST_COMMAND;
  const { exitCode = 1, stdout } = await execa(program, args, { cwd: clone, reject: false, stdin: 'ignore' });
  const count = (name: string) => Number(new RegExp(`^# ${name} +(\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
  return { commit, exitCode, tests: count('tests'), failed: count('fail') };
}
