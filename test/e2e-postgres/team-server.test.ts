/**
 * The team server of docker-compose.temporal.yml, for real and without containers: PostgreSQL, schema, server, namespace, Web UI, and our
 * worker on it. Run by `npm run e2e:postgres`, in this order and in one process: the tests share one server.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { backlogId } from '../../protocol/actors/backlog.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/names.js';
import { openProject } from '../support/backlog-project.js';
import { heldIn, letGo, reached } from '../support/held-stage.js';
import { tracesOf } from '../support/run-traces.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';
import { COMPOSE_PATH, type ComposeFile, serviceOf } from './compose-file.js';
import { openTeamServer, type Programs, type TeamServer } from './team-server.js';

const LIMIT_MS = 180_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

/** What a run must leave, whatever was killed. */
const UNDISTURBED = {
  outcome: 'merge_ready',
  error: null,
  agents: STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]),
  commits: 1,
  change: expect.stringMatching(/^\+changed$/m),
  living: [],
};

// globalSetup wrote it.
const programs = JSON.parse(process.env['SLUICE_TEAM_SERVER_PROGRAMS'] ?? '{}') as Programs;
let team: TeamServer;

beforeAll(async () => {
  team = await openTeamServer(programs);
  process.env['SLUICE_TEST_ADDRESS'] = team.address;
  process.env['SLUICE_TEMPORAL_CLI'] = programs.temporal;
  await team.up();
}, LIMIT_MS);

afterAll(() => team.close(), LIMIT_MS);

/** Standard output of Temporal's own tool, asked at the team server. */
async function temporal(...args: readonly string[]): Promise<string> {
  const env = { ...team.environment, TEMPORAL_ADDRESS: team.address };
  return (await promisify(execFile)('temporal', [...args, '--disable-config-file'], { env, maxBuffer: 2 ** 24 }))
    .stdout;
}

async function temporalJson(...args: readonly string[]): Promise<unknown> {
  return JSON.parse(await temporal(...args, '--output', 'json'));
}

function postgres(program: string, ...args: readonly string[]): string {
  const place = ['-h', '127.0.0.1', '-p', String(team.places.ports['5432']), '-U', 'temporal'];
  return execFileSync(join(programs.postgres, program), [...place, ...args], {
    env: { ...team.environment },
    encoding: 'utf8',
  });
}

describe('docker-compose.temporal.yml', () => {
  const load = (path: string) => {
    const env = { ...process.env, POSTGRES_PASSWORD: team.environment['PGPASSWORD'] };
    return execFileSync(join(programs.go, 'compose-check'), [path], { encoding: 'utf8', env, stdio: 'pipe' });
  };

  it("is accepted by compose's own loader, which reads it as this test does", () => {
    expect(shapeOf(JSON.parse(load(COMPOSE_PATH)) as Loaded)).toEqual(shapeOf(asLoaded(team.file)));
  });

  it.each([
    ['an unknown key', 'restart: unless-stopped', 'restarts: unless-stopped', /restarts/],
    ['a value of the wrong type', 'retries: 24', 'retries: often', /retries/],
    ['a service that is not there', 'schema: { condition', 'scheme: { condition', /scheme/],
  ])('would be refused by that loader with %s', (_name, right, wrong, said) => {
    const path = join(team.folder, 'wrong.yml');
    writeFileSync(path, readFileSync(COMPOSE_PATH, 'utf8').replace(right, wrong));

    expect(() => load(path)).toThrow(said);
  });

  it('sets up the schema once: a second time changes nothing', async () => {
    const versions = () =>
      ['temporal', 'temporal_visibility'].map((database) =>
        postgres('psql', '-At', '-d', database, '-c', 'select * from schema_version'),
      );
    const before = versions();

    await team.start('schema');

    expect(before.join('')).toMatch(/\|1\.\d+\|/);
    expect(versions()).toEqual(before);
  });

  it('tells the server of a dynamic config of which it knows every key', () => {
    const path = team.places.environment(serviceOf(team.file, 'server'))['DYNAMIC_CONFIG_FILE_PATH'] ?? '';
    const said = execFileSync(join(programs.go, 'temporal-server'), ['validate-dynamic-config', path], {
      encoding: 'utf8',
    });

    expect(said.trim()).toBe(path);
    for (const queue of ['transfer', 'timer', 'visibility']) {
      expect(team.logOf('server')).toMatch(
        new RegExp(`history.${queue}processormaxpollrps oldValue: nil newValue: .*value: 2000 `),
      );
    }
  });

  it('makes the namespace with its retention and its search attributes, and a second time changes nothing', async () => {
    const namespace = () => temporalJson('operator', 'namespace', 'describe', '--namespace', 'default');
    const attributes = () => temporalJson('operator', 'search-attribute', 'list', '--namespace', 'default');
    const before = [await namespace(), await attributes()];

    await team.start('namespace');
    await team.start('search-attributes');

    expect(JSON.stringify(before[0])).toContain(`"workflowExecutionRetentionTtl":"${365 * 24 * 60 * 60}s"`);
    for (const name of SEARCH_ATTRIBUTES) expect(JSON.stringify(before[1])).toContain(name);
    expect([await namespace(), await attributes()]).toEqual(before);
  });

  it('has a Web UI that shows what the server has', async () => {
    const answer = await fetch(`http://127.0.0.1:${team.places.ports['8080']}/api/v1/namespaces`);

    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toContain('"default"');
  });
});

describe('the workflow tests', () => {
  it(
    'all pass on it',
    async () => {
      const results = join(team.folder, 'workflow-results.json');
      const jest = [
        '--experimental-vm-modules',
        '--no-warnings',
        'node_modules/jest/bin/jest.js',
        '--config',
        'test/e2e-postgres/jest.config.js',
      ];
      const args = [...jest, '--selectProjects', 'workflow', '--json', `--outputFile=${results}`];
      const place = { cwd: join(COMPOSE_PATH, '..'), env: { ...process.env }, maxBuffer: 2 ** 24 };
      await promisify(execFile)(process.execPath, args, place).catch(() => undefined);

      // Jest wrote it.
      const found = JSON.parse(readFileSync(results, 'utf8')) as WorkflowResults;
      const failed = found.testResults
        .filter(({ status }) => status !== 'passed')
        .map(({ name, message }) => `${name}\n${message}`);
      expect(failed).toEqual([]);
      expect(found.numPassedTests).toBeGreaterThan(20);
    },
    10 * LIMIT_MS,
  );
});

describe('a run on it', () => {
  let host: TestHost;

  afterEach(() => host.close(), LIMIT_MS);

  it(
    "is started and found by its search attributes with Temporal's own tool alone",
    async () => {
      host = await openTestHost();
      const repository = await host.repository();
      await host.startWorker({ env: { TEMPORAL_NAMESPACE: 'default' } });
      const input = JSON.stringify({ task: 'change a.txt', repo: repository.path });

      await temporal(
        'workflow',
        'start',
        '--type',
        'run',
        '--task-queue',
        'sluice',
        '--workflow-id',
        'first',
        '--input',
        input,
      );
      await temporal('workflow', 'result', '--workflow-id', 'first');

      const query = "SluiceStatus = 'merge_ready' AND SluicePreset = 'default'";
      await until(async () =>
        JSON.stringify(await temporalJson('workflow', 'list', '--query', query)).includes('"first"'),
      );
    },
    LIMIT_MS,
  );

  it(
    'goes on when the server is killed in mid-turn and started again, and its agent was started once',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await team.kill('server');
      letGo(host);
      await team.start('server');

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'goes on when the database crashes in mid-turn and recovers, and its agent was started once',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await team.kill('database', 'SIGQUIT');
      letGo(host);
      await team.start('database');
      await team.startIfEnded('server');

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'goes on from a dump of both databases that was restored into an empty one',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await team.kill('server', 'SIGTERM');
      dump();
      await restore();
      letGo(host);

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'that ended after the dump goes on from it: what its host finished since is answered from the records, and no agent is started again',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      dump();
      letGo(host);
      await run.result();
      await team.kill('server', 'SIGTERM');
      await restore();

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
      // The events that it had written after the dump: it wrote them once more.
      expect(run.read('events.1.jsonl')).toContain('run.completed');
    },
    LIMIT_MS,
  );
});

describe('a backlog on it', () => {
  let host: TestHost;

  afterEach(() => host.close(), LIMIT_MS);

  it(
    'goes on when the server is killed, and finds what is open by its visibility when it was terminated and is begun anew',
    async () => {
      host = await openTestHost();
      const { fixture } = heldIn(host, 'executing');
      const config = 'stageList: [executing, validating]\n';
      const { backlog } = await openProject(host, 'team', { config, ...(fixture === undefined ? {} : { fixture }) });
      await host.startWorker();
      await backlog.create(['one', 'two']);
      await backlog.reaches('1', 'running');

      await team.kill('server');
      await team.start('server');
      await host.client.workflow.getHandle(backlogId('team')).terminate('a person');
      await backlog.tell('2', 'stop');
      await backlog.tell('2', 'run');
      await until(async () => (await backlog.status().catch(() => null))?.counts.running === 1);
      letGo(host);

      for (const id of ['1', '2'])
        expect(await backlog.reaches(id, 'parked')).toMatchObject({ reason: 'unmerged', runs: 1 });
    },
    LIMIT_MS,
  );
});

/** As docs/operations.md does it. */
const DUMPED = ['temporal', 'temporal_visibility'];
const dumpPath = (database: string) => join(team.folder, `${database}.dump`);

function dump(): void {
  for (const database of DUMPED) postgres('pg_dump', '-Fc', '-f', dumpPath(database), database);
}

/** Shape: the server is down. */
async function restore(): Promise<void> {
  await team.kill('database', 'SIGINT');
  rmSync(join(team.folder, 'data'), { recursive: true });
  await team.start('database');
  for (const database of DUMPED)
    postgres('pg_restore', '--clean', '--if-exists', '--create', '-d', 'postgres', dumpPath(database));
  await team.start('schema');
  await team.start('server');
}

interface WorkflowResults {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

/** The part of compose's own model that is compared. */
interface Loaded {
  readonly name: string;
  readonly services: Readonly<Record<string, LoadedService>>;
}

interface LoadedService {
  readonly image: string;
  readonly command: readonly string[] | null;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly host_ip: string; readonly published: string; readonly target: number }[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[]; readonly retries: number };
  readonly restart?: string;
}

function shapeOf({ name, services }: Loaded): unknown {
  return {
    name,
    services: Object.fromEntries(
      Object.entries(services).map(
        ([key, { image, command, environment, ports, depends_on, healthcheck, restart }]) => [
          key,
          {
            image,
            command,
            restart,
            environment: environment ?? {},
            ports: ports?.map(({ host_ip, published, target }) => `${host_ip}:${published}:${target}`) ?? [],
            dependsOn: Object.entries(depends_on ?? {})
              .map(([other, { condition }]) => `${other} ${condition}`)
              .toSorted(),
            healthcheck: healthcheck === undefined ? null : [...healthcheck.test, healthcheck.retries],
          },
        ],
      ),
    ),
  };
}

/** Our reading in the long form of compose's. */
function asLoaded({ name, services }: ComposeFile): Loaded {
  const longForm = (text: string) => {
    const [host_ip = '', published = '', target = ''] = text.split(':');
    return { host_ip, published, target: Number(target) };
  };
  return {
    name,
    services: Object.fromEntries(
      Object.entries(services).map(
        ([key, { image, command, environment, ports, depends_on, healthcheck, restart }]) => [
          key,
          {
            image,
            environment,
            depends_on,
            command: command ?? null,
            ports: ports.map(longForm),
            ...(healthcheck === undefined ? {} : { healthcheck }),
            ...(restart === undefined ? {} : { restart }),
          },
        ],
      ),
    ),
  };
}
