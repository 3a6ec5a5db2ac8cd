/**
 * The command line beside a real local engine: it loads no SDK while the engine's worker makes its calls, and does without that worker too. As compiled, file
 * by file, so that it can be seen what is loaded.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliOptions, type CliResult, type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { CHUNKS, packedWith } from '../support/packed-with.js';

const LIMIT_MS = 300_000;
const SDK = /node_modules\/(?:@temporalio|@grpc|protobufjs)\//;
const CONFIG_READERS = /node_modules\/(?:zod|yaml)\//;

const CLI = resolve('dist/client/cli/main.js');

let world: CliWorld;
let repository: CliRepository;
let runId: string;

const sluice = (args: readonly string[], options?: CliOptions) =>
  world.program([process.execPath, CLI, ...args], options).done;

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository();
  const agent = world.script('agent', GOOD_AGENT);
  // What starts an engine hands its environment on.
  await sluice(['up']);
  const { result, sdk } = await loading(['run', 'fix it', '--json', '--agent', 'command', '--', agent]);
  expect(result).toMatchObject({ code: 0 });
  expect(sdk).toEqual([]);
  runId = String(jsonLines(result.stdout)[0]?.['runId']);
}, LIMIT_MS);

afterAll(() => world.close(), LIMIT_MS);

interface Loading {
  readonly result: CliResult;
  /** Its files that the command loaded. */
  readonly sdk: readonly string[];
  readonly configReaders: readonly string[];
}

/** What a command answers, and what it loaded, by what V8 itself covered. */
async function loading(args: readonly string[]): Promise<Loading> {
  const coverage = join(world.folder, 'coverage');
  const result = await sluice(args, { cwd: repository.path, env: { NODE_V8_COVERAGE: coverage } });
  const scripts = readdirSync(coverage).flatMap((file) => {
    const { result: covered } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] };
    return covered.map(({ url }) => url);
  });
  rmSync(coverage, { recursive: true });
  expect(scripts).toContainEqual(expect.stringContaining('/client/cli/'));
  const matching = (pattern: RegExp) => scripts.filter((url) => pattern.test(url));
  return { result, sdk: matching(SDK), configReaders: matching(CONFIG_READERS) };
}

const workerPid = (): number => JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')).worker.pid;

describe('the command line beside its own engine', () => {
  it.each([['list'], ['status'], ['approvals list'], ['replay']])(
    'loads no SDK for %s, and nothing that reads a config',
    async (command) => {
      const { result, sdk, configReaders } = await loading([...command.split(' '), '--json']);

      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect([...sdk, ...configReaders]).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(['run', 'list', 'status', 'abort'])('has no SDK in the bundles that %s loads', (command) => {
    const [chunk = ''] = readdirSync(CHUNKS).filter((name) => new RegExp(`^${command}-[A-Z0-9]{8}\\.js$`).test(name));
    const packed = packedWith(chunk);

    expect(packed).toContainEqual(expect.stringMatching(/client\/calls\/ask-calls/));
    expect(packed.filter((path) => SDK.test(path))).toEqual([]);
  });

  it.each([
    [0, '', ['budget']],
    [0, '', ['watch']],
    [3, 'is closed', ['pause']],
    [3, 'is closed', ['abort']],
    [3, 'is closed', ['rename', 'another title']],
  ] as const)(
    'loads no SDK where it answers %s "%s" to %p',
    async (code, said, [command, ...rest]) => {
      const { result, sdk } = await loading([command, runId, ...rest, '--json']);

      expect(result).toMatchObject({ code, stderr: expect.stringContaining(said) });
      expect(sdk).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'shows the same by the SDK where nobody listens at the socket',
    async () => {
      const thin = await loading(['list', '--json']);
      rmSync(join(world.home, 'calls.sock'));
      const thick = await loading(['list', '--json']);
      await sluice(['up', '--restart']);

      expect(jsonLines(thin.result.stdout)).toMatchObject([{ runId, status: 'merge_ready', execution: 'COMPLETED' }]);
      expect(thick.result).toMatchObject({ code: 0, stdout: thin.result.stdout });
      expect(thick.sdk).not.toEqual([]);
      expect((await loading(['list'])).sdk).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'does without a worker that hangs',
    async () => {
      const pid = workerPid();
      process.kill(pid, 'SIGSTOP');
      const { result, sdk } = await loading(['list', '--json']).finally(() => process.kill(pid, 'SIGCONT'));

      expect(result).toMatchObject({ code: 0 });
      expect(jsonLines(result.stdout)).toMatchObject([{ runId }]);
      expect(sdk).not.toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'says once that the engine is of another build, and asks the server itself',
    async () => {
      const other = join(world.folder, 'other build');
      mkdirSync(other);
      cpSync(resolve('dist'), join(other, 'dist'), { recursive: true });
      cpSync(resolve('package.json'), join(other, 'package.json'));
      symlinkSync(resolve('node_modules'), join(other, 'node_modules'));

      const main = join(other, 'dist/client/cli/main.js');
      const { code, stdout, stderr } = await world.program([process.execPath, main, 'list', '--json']).done;

      expect(code).toBe(0);
      expect(jsonLines(stdout)).toMatchObject([{ runId }]);
      expect(stderr.match(/another build .* sluice up --restart$/gm)).toHaveLength(1);
    },
    LIMIT_MS,
  );
});
