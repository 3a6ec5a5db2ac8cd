/** A real git repository of a test's own, with a trusted config and a scripted agent that does what the test says. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Fixture } from '../../activities/agent/scripted/fixture.js';
import { runInOneShell } from './in-one-shell.js';

export interface RepositoryOptions {
  /** Committed files beside a.txt. */
  readonly files?: Readonly<Record<string, string>>;
  /** YAML below the generated agent lines. */
  readonly config?: string;
  readonly fixture?: Fixture;
}

export interface TestRepository {
  readonly path: string;
  /** The fixture file; its folder also holds the ledger. */
  readonly fixturePath: string;
  readonly ledgerPath: string;
  readonly configText: string;
  git(...args: readonly string[]): string;
  write(name: string, text: string): void;
  /** Makes the file that a turn with `waitFor: name` waits for. */
  release(name: string): void;
}

/** A plain run: every stage does its part, the change is one line in a.txt. */
export const PLAIN_FIXTURE = {
  ledger: 'ledger.txt',
  stages: {
    planning: { text: 'Plan: add a line to a.txt.' },
    architecting: { text: 'Architecture: one file.' },
    executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.' },
    reviewing: { text: 'Looks right.', decision: 'APPROVED' },
    fixing: { text: 'Nothing to fix.' },
    verifying: { text: 'It does the task.', decision: 'PASSED' },
  },
} satisfies Fixture;

/** The fixture with some stages replaced. */
export function fixtureWith(stages: Fixture['stages']): Fixture {
  return { ...PLAIN_FIXTURE, stages: { ...PLAIN_FIXTURE.stages, ...stages } };
}

export const PLAIN_VALIDATION = 'validation:\n  commands: ["grep -q changed a.txt"]\n';

/** Makes a repository of a folder, whose files are its first commit, as a person of its own config. */
export function commitFirst(folder: string): void {
  runInOneShell(
    `
      git init -q -b main
      git config user.name 'Test Person'
      git config user.email person@example.invalid
      git add -A
      git -c maintenance.auto=false commit -q -m first
    `,
    { cwd: folder },
  );
}

/** `folder` is an existing temp folder. Shape: the config is in the checkout and committed. */
export function makeRepository(folder: string, options: RepositoryOptions = {}): TestRepository {
  const path = join(folder, 'repository');
  const agentDir = join(folder, 'agent');
  mkdirSync(path, { recursive: true });
  mkdirSync(agentDir, { recursive: true });
  const fixturePath = join(agentDir, 'fixture.json');
  writeFileSync(fixturePath, JSON.stringify(options.fixture ?? PLAIN_FIXTURE));
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...args], { cwd: path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
    if (text.startsWith('#!')) chmodSync(join(path, name), 0o755);
  };
  const release = (name: string) => writeFileSync(join(agentDir, name), '');
  const configText = `version: 1\nagent: script\nagents:\n  script:\n    adapter: scripted\n    args: [${JSON.stringify(fixturePath)}]\n${options.config ?? PLAIN_VALIDATION}`;
  write('a.txt', 'one\n');
  write('.sluice/config.yaml', configText);
  for (const [name, text] of Object.entries(options.files ?? {})) write(name, text);
  commitFirst(path);
  return { path, fixturePath, ledgerPath: join(agentDir, 'ledger.txt'), configText, git, write, release };
}
