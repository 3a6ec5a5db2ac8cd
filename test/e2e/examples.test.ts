/** Each program of examples/ does what its head says, on a newcomer's machine: it is started as it says, and nothing of it is replaced. */
import { readdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchView } from '../../protocol/actors/batch.js';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';
import { type TemporalTool, temporalTool } from '../support/temporal-tool.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const example = (name: string) => `${ROOT}examples/${name}`;

let world: CliWorld;
let repository: CliRepository;
/** What `eval "$(sluice up)"` leaves in a shell. */
let env: Readonly<Record<string, string>>;
let tool: TemporalTool;

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository();
  const { stdout } = await world.sluice(['up', '--json']);
  const { address, binary } = JSON.parse(stdout) as { address: string; binary: string }; // Documented in docs/cli.md.
  // `temporal` by its name, whatever the file is called that the tests were given.
  const bin = dirname(world.script('temporal', `exec '${realpathSync(binary)}' "$@"`));
  env = { TEMPORAL_ADDRESS: address, PATH: `${bin}:${world.env['PATH'] ?? ''}` };
  tool = temporalTool({ ...world.env, ...env }, binary);
  const init = await world.sluice(['init', '--agent', 'command', '--', example('command-agent.mjs')], {
    cwd: repository.path,
  });
  expect(init).toMatchObject({ code: 0 });
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

it('there are no examples but these', () => {
  expect(readdirSync(example(''))).toEqual(['command-agent.mjs', 'nightly.sh', 'start-a-run.ts']);
});

describe('start-a-run.ts', () => {
  const start = (...args: readonly string[]) =>
    world.program([process.execPath, '--import', 'tsx', example('start-a-run.ts'), ...args], { cwd: ROOT, env }).done;

  it(
    'takes a task through the agent in twenty lines to a branch, and tells each status on the way',
    async () => {
      const { code, stdout, stderr } = await start(repository.path, 'write a note');

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const runId = stdout.split(' ')[0] ?? '';
      expect(stdout).toContain(`${runId} ended merge_ready\n`);
      expect(stdout.trim().split('\n').at(-1)).toMatch(
        new RegExp(`^git -C ${repository.path} diff [0-9a-f]{40} [0-9a-f]{40} {4}# on sluice/${runId}$`),
      );
      expect(repository.git('diff', '--stat', `main...sluice/${runId}`)).toContain('NOTES.md | 1 +');
    },
    LIMIT_MS,
  );

  it('says what it needs where it is started without', async () => {
    const { code, stderr } = await start();

    expect(code).toBe(1);
    expect(stderr).toContain('usage: start-a-run.ts <repository> <task>');
  });
});

describe('nightly.sh', () => {
  it(
    'makes a schedule whose firing runs every task of the list',
    async () => {
      const tasks = `${world.folder}/tasks.txt`;
      repository.write('../tasks.txt', 'write a note\n\nwrite "another" one\n');
      const made = await world.program([example('nightly.sh'), repository.path, tasks], { env }).done;
      expect(made).toMatchObject({ code: 0, stderr: '' });

      const triggered = await world.program(['temporal', 'schedule', 'trigger', '--schedule-id', 'nightly'], {
        env: { ...env },
      }).done;
      expect(triggered.code).toBe(0);
      const batches = async () =>
        (await tool.json('list', '--query', "WorkflowType = 'batch' AND ExecutionStatus = 'Completed'")) as {
          execution: { workflowId: string };
        }[];
      await until(async () => (await batches()).length === 1);

      const workflowId = (await batches())[0]?.execution.workflowId ?? '';
      const { queryResult } = (await tool.json('query', '--workflow-id', workflowId, '--type', 'status')) as {
        queryResult: [BatchView];
      };
      expect(queryResult[0].rows.map(({ title, outcome }) => `${title} ${outcome}`)).toEqual([
        'write a note merge_ready',
        'write "another" one merge_ready',
      ]);
    },
    LIMIT_MS,
  );
});
