/**
 * The demo's own world, in a fresh folder of the temp directory: a sluice home, a git repository made from the real package with two red
 * tests, the scripted agent's fixture. Nothing outside that folder is written; no key and no network are needed.
 */
import { appendFile, cp, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { PACKAGE_ROOT } from '../../../config/system/entries.js';
import { BRANCHES, branchFixture } from './branches.js';
import { ALIAS_FIX, DASH_FIX, RED_TESTS } from './bugs.js';
import { SKEP_CONFIG, skepFixtures } from './skep-tasks.js';
import { BACKLOG_CONFIG, TASKS, taskFixture } from './tasks.js';

export interface DemoWorld {
  readonly folder: string;
  readonly home: string;
  readonly repo: string;
  /** START and END lines of the agent, its own book. */
  readonly ledger: string;
  /** The agent waits in mid-turn until this file exists. */
  readonly go: string;
  /** The text of .sluice/config.yaml. */
  readonly config: string;
}

/** The tests, by the real tape of the package's own kind; started from PATH and the repository's node_modules. */
export const TEST_COMMAND = ['node', 'node_modules/tape/bin/tape', 'test/*.js'] as const;

const VERSION = '1.2.7';
/** Of minimist and tape, as `tools/build-demo.mjs` put them there. */
const PACKAGES = join(PACKAGE_ROOT, 'dist/demo');
const LEDGER = 'agent-ledger.txt';

/** What is told with it: one run with a forgetful agent, four tasks of a backlog, or tasks that are judged and planned first. */
export type DemoStory =
  | { readonly kind: 'run'; readonly withholdFix: boolean }
  | { readonly kind: 'backlog' }
  | { readonly kind: 'skep' };

/** What the agents do, by their names; the format is that of activities/agent/scripted. */
type Fixtures = readonly (readonly [agent: string, fixture: object])[];

interface StoryParts {
  readonly fixtures: Fixtures;
  /** Beside the agents. */
  readonly config: object;
  /** Added to files of the package in the second commit. */
  readonly added: Readonly<Record<string, string>>;
  readonly message: string;
}

function partsOf(story: DemoStory): StoryParts {
  const untouched = { added: {}, message: 'Add the config of sluice' };
  switch (story.kind) {
    case 'run':
      return {
        fixtures: runFixtures(story.withholdFix),
        // Without a terminal the demo decides its gate itself.
        config: { rounds: 1, attended: true },
        added: RED_TESTS,
        message: 'Add two tests that show two bugs, and the config of sluice',
      };
    case 'backlog':
      return {
        ...untouched,
        fixtures: TASKS.map((task) => [task.agent, taskFixture(task)] as const),
        config: BACKLOG_CONFIG,
      };
    case 'skep':
      return { ...untouched, fixtures: skepFixtures(), config: SKEP_CONFIG };
  }
}

export async function makeDemo(story: DemoStory): Promise<DemoWorld> {
  const { fixtures, config, added, message } = partsOf(story);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sluice-demo-')));
  const world = {
    folder,
    home: join(folder, 'home'),
    repo: join(folder, 'minimist'),
    ledger: join(folder, LEDGER),
    go: join(folder, 'go'),
    config: configText(folder, fixtures, config),
  };
  await cp(join(PACKAGES, 'minimist'), world.repo, { recursive: true });
  await linkTape(world.repo);
  await writeFile(join(world.repo, '.gitignore'), 'node_modules\n');
  await git(world.repo, ['init', '--quiet', '--template=', '--initial-branch=main']);
  for (const [name, value] of IDENTITY) await git(world.repo, ['config', name, value]);
  await commitAll(world.repo, `minimist ${VERSION}`);
  for (const [file, test] of Object.entries(added)) await appendFile(join(world.repo, file), test);
  await mkdir(join(world.repo, '.sluice'));
  await writeFile(join(world.repo, '.sluice', 'config.yaml'), world.config);
  await commitAll(world.repo, message);
  for (const [agent, content] of fixtures) await writeFile(fixtureOf(folder, agent), JSON.stringify(content, null, 2));
  return world;
}

const IDENTITY = [
  ['user.name', 'sluice demo'],
  ['user.email', 'demo@localhost'],
  ['commit.gpgsign', 'false'],
] as const;

/** Links one package, so that the demo's node_modules is a real folder that the engine can link further. */
export async function linkTape(repo: string): Promise<void> {
  await mkdir(join(repo, 'node_modules'), { recursive: true });
  await symlink(join(PACKAGES, 'tape'), join(repo, 'node_modules', 'tape'));
}

function configText(folder: string, fixtures: Fixtures, more: object): string {
  const agents = fixtures.map(([agent]) => [agent, { adapter: 'scripted', args: [fixtureOf(folder, agent)] }] as const);
  return stringify({
    version: 1,
    agent: agents[0]?.[0],
    agents: Object.fromEntries(agents),
    worktree: { link: ['node_modules'] },
    // A dead worker is noticed after this time; the default of 10 s is for loaded machines.
    limits: { heartbeat: '3s' },
    ...more,
    validation: { commands: [`${TEST_COMMAND[0]} ${TEST_COMMAND[1]} '${TEST_COMMAND[2]}'`] },
  });
}

function fixtureOf(folder: string, agent: string): string {
  return join(folder, `${agent}.json`);
}

function runFixtures(withholdFix: boolean): Fixtures {
  return [
    ['scripted', fixture(withholdFix)],
    ...BRANCHES.map((branch) => [branch.agent, branchFixture(branch)] as const),
  ];
}

function fixture(withholdFix: boolean) {
  return {
    ledger: LEDGER,
    stages: {
      planning: { text: PLAN },
      architecting: { text: ARCHITECTURE },
      executing: {
        waitFor: 'go',
        patch: ALIAS_FIX,
        text: 'Fixed the aliases. The lone dash seems to work already.',
      },
      fixing: {
        ...(withholdFix ? {} : { patch: DASH_FIX }),
        text: withholdFix ? 'I see nothing wrong.' : 'The check was right: a lone dash is a value now.',
        responses: [
          {
            id: 'V0-1',
            disposition: withholdFix ? 'rebut' : 'fix',
            rationale: withholdFix ? 'I see nothing wrong.' : 'Done.',
          },
        ],
      },
      reviewing: { text: 'Both changes are small, and each has a test that was red before.', decision: 'APPROVED' },
      verifying: { text: 'The tests of both bugs pass, and so do the others.', decision: 'PASSED' },
    },
  };
}

const PLAN = `# Plan

1. A lone "-" behind a long option is its value: look at the test that decides whether the next argument is one.
2. opt.string must hold for every alias of a key, not for the first only.
3. Run all tests.
`;

const ARCHITECTURE = `# Where

Both bugs are in index.js: the loop over opt.string, and the branch for "--key value". No new file, no new option.
`;

async function commitAll(repo: string, message: string): Promise<void> {
  await git(repo, ['add', '--all']);
  await git(repo, ['commit', '--quiet', '--no-verify', '--message', message]);
}

async function git(cwd: string, args: readonly string[]): Promise<void> {
  await execa('git', args, { cwd, stdin: 'ignore', env: { GIT_TERMINAL_PROMPT: '0' } });
}
