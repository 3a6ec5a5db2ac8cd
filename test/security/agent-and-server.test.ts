/**
 * An agent that speaks to the server and to the command line as if it were the person: it decides gates, ends and signals other runs, forges marks and
 * records. With the turn tag in its environment the command line refuses; without it only a sandbox would stop it, so here is what people see of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttendedRun, attendedRun } from '../support/attended-run.js';
import { CLI } from '../support/cli-world.js';
import { sluiceBeside } from '../support/host-cli.js';
import { livingTurns } from '../support/run-traces.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

const GATED = 'stageList: [executing, reviewing, verifying]\ngates:\n  stages: [reviewing]\n';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost();
  await host.startWorker();
}, LIMIT_MS);
afterAll(() => host.close(), LIMIT_MS);

/** An agent of another run that has found out server and namespace, as every process of the same user can. */
async function attack(line: string): Promise<void> {
  const server = `export TEMPORAL_ADDRESS=${host.address} TEMPORAL_NAMESPACE=${host.namespace} SLUICE_HOME=${host.home}; T=${process.env['SLUICE_TEMPORAL_CLI']}`;
  const run = `${server}; { ${line}; } >> "$HOME/attack.txt" 2>&1`;
  const attacker = await attendedRun(host, {
    config: 'stageList: plan-only\n',
    stages: { planning: { run, text: 'Plan.' } },
  });
  const result = await attacker.result();
  if (result.outcome !== 'merge_ready')
    throw new Error(`${result.error}: ${readFileSync(join(host.env['HOME'] ?? '', 'attack.txt'), 'utf8')}`);
}

const decided = ({ run }: AttendedRun) =>
  run.events().filter(({ type }) => type.startsWith('approval.') && !type.endsWith('requested'));

describe('an agent that decides the gate of a run', () => {
  it.each([
    [
      'by the command line, with the turn tag taken away',
      (id: string) => `env -u SLUICE_TURN ${process.execPath} ${CLI} approve ${id}`,
      `${userInfo().username}@${hostname()}`,
    ],
    [
      'by a signal of temporal',
      (id: string) => `"$T" workflow signal -w ${id} --name approve --input '{"decision":"approve"}'`,
      null,
    ],
    [
      'by an update of temporal, in a person’s name',
      (id: string) =>
        `"$T" workflow update execute -w ${id} --name approve --input '{"decision":"approve","by":"the boss"}'`,
      'the boss',
    ],
  ])(
    '%s is not stopped without a sandbox: journal, audit and gate say that it was decided, when, and by what name',
    async (_how, line, by) => {
      const victim = await attendedRun(host, { config: GATED });
      await victim.gate();
      await attack(line(victim.run.runId));

      expect(await victim.result()).toMatchObject({ outcome: 'merge_ready' });
      const [event] = decided(victim);
      expect(event?.data['by'] ?? event?.data['resolvedBy'] ?? null).toBe(by);
      const gates = JSON.parse(victim.run.read('approvals.json')) as unknown;
      expect(JSON.stringify(gates)).toContain(JSON.stringify(by));
      const { stdout } = await sluiceBeside(host, ['audit', victim.run.runId]);
      expect(stdout).toContain('gate-1');
    },
    LIMIT_MS,
  );
});

describe('an agent that speaks for the person in its turn', () => {
  const sluice = (...args: readonly string[]) =>
    `${process.execPath} ${CLI} ${args.join(' ')}; echo "${args.join(' ')} ended with $?"`;
  const own =
    'mkdir -p "$HOME/own/.sluice"; cd "$HOME/own"; git init -q; printf "version: 1\\nagents: { e: { adapter: command, command: [touch, evil] } }\\n" > .sluice/config.yaml; git add -A; git -c user.name=x -c user.email=x@x.invalid commit -q -m x';

  it(
    'trusts no config, serves no repository and ends no engine by sluice',
    async () => {
      await attack(
        [own, sluice('trust'), sluice('trust', '--revoke'), sluice('init'), sluice('down', '--now')].join('; '),
      );

      const said = readFileSync(join(host.env['HOME'] ?? '', 'attack.txt'), 'utf8');
      for (const command of ['trust', 'trust --revoke', 'init', 'down --now'])
        expect(said).toContain(`${command} ended with 1`);
      expect(said.match(/this command runs inside a turn/g)?.length).toBeGreaterThanOrEqual(4);
      const { stdout } = await sluiceBeside(host, ['trust', '--list']);
      expect(stdout).not.toContain('/own');
    },
    LIMIT_MS,
  );

  it(
    'does so with the turn tag taken away: what it trusted stands in the list that people look at, and can be taken back',
    async () => {
      await attack([own.replaceAll('/own', '/other'), `unset SLUICE_TURN; ${sluice('trust')}`].join('; '));
      const other = join(host.env['HOME'] ?? '', 'other');

      expect((await sluiceBeside(host, ['trust', '--list'])).stdout).toContain(other);
      expect((await sluiceBeside(host, ['trust', '--revoke'], { cwd: other })).code).toBe(0);
      expect((await sluiceBeside(host, ['trust', '--list'])).stdout).not.toContain(other);
    },
    LIMIT_MS,
  );
});

describe('an agent that turns on other runs through the server', () => {
  it(
    'terminates one in mid-turn: its agent is ended, and its journal says terminated',
    async () => {
      const victim = await attendedRun(host, {
        config: GATED,
        stages: { executing: { hang: true, ignoreTerm: true } },
      });
      await victim.started('executing');
      await attack(`"$T" workflow terminate -w ${victim.run.runId} --reason 'an agent'`);

      await expect(victim.result()).rejects.toThrow();
      await until(() => victim.run.read('state.json').includes('"aborted"'), LIMIT_MS);
      expect(JSON.stringify(victim.run.events().at(-1))).toContain('terminated');
      await until(() => livingTurns(host.home).length === 0);
    },
    LIMIT_MS,
  );

  it(
    'cancels one: it ends aborted, with its agent, its branch and its journal whole',
    async () => {
      const victim = await attendedRun(host, { config: GATED, stages: { executing: { hang: true } } });
      await victim.started('executing');
      await attack(`"$T" workflow cancel -w ${victim.run.runId}`);

      expect(await victim.result()).toMatchObject({ outcome: 'aborted' });
      expect(victim.run.events().at(-1)?.type).toBe('run.aborted');
      expect(victim.repository.git('rev-parse', `sluice/${victim.run.runId}`)).toBe(
        victim.repository.git('rev-parse', 'main'),
      );
    },
    LIMIT_MS,
  );

  it(
    'sends it signals of every kind: what is no message is refused, journalled and changes nothing',
    async () => {
      const victim = await attendedRun(host, { config: GATED });
      await victim.gate();
      const signal = (name: string, input: string) =>
        `"$T" workflow signal -w ${victim.run.runId} --name ${name} --input '${input}'`;
      await attack(
        [
          signal('obey', '{}'),
          signal('approve', '{"gate":"gate-7"}'),
          signal('steer', '{"text":""}'),
          signal('approve', '[1]'),
        ].join('; '),
      );

      await until(() => victim.run.events().filter(({ type }) => type === 'message.refused').length >= 4, LIMIT_MS);
      expect(await victim.gate()).toMatchObject({ id: 'gate-1', status: 'pending' });
      await victim.approve(1);
      expect(await victim.result()).toMatchObject({ outcome: 'merge_ready' });
    },
    LIMIT_MS,
  );

  it(
    'starts a run in a folder of its own, with a program of its own: the host does not serve the one and does not hold the other',
    async () => {
      const start = (input: object) =>
        `"$T" workflow execute --type run --task-queue sluice --workflow-id evil-$$-${Object.keys(input).length} --input '${JSON.stringify({ task: 'x', attended: false, ...input })}' | cat`;
      const { repository } = await attendedRun(host, { config: 'stageList: plan-only\n' });
      await attack(
        [
          'git init -q "$HOME/mine" && git -C "$HOME/mine" -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x',
          start({ repo: join(host.env['HOME'] ?? '', 'mine') }),
          start({ repo: repository.path, commandHash: 'f'.repeat(64) }),
          start({
            repo: repository.path,
            policy: {
              agents: { evil: { adapter: 'command', command: ['touch', join(host.env['HOME'] ?? '', 'evil')] } },
            },
            agent: 'evil',
          }),
        ].join('; '),
      );

      const said = readFileSync(join(host.env['HOME'] ?? '', 'attack.txt'), 'utf8');
      expect(said).toContain("is not on this host's list of repositories");
      expect(said).toContain('must be the hash of a command that this host holds');
      expect(existsSync(join(host.env['HOME'] ?? '', 'evil'))).toBe(false);
      expect(said.match(/FAILED/g)?.length).toBeGreaterThanOrEqual(3);
    },
    LIMIT_MS,
  );
});
