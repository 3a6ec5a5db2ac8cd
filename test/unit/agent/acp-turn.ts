/** Runs one turn of `adapter: acp` for real: the client as it is built, and the scripted agent behind it, in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createAcpAdapter } from '../../../activities/agent/adapters/acp/acp-adapter.js';
import type { AgentExit, TurnReading, TurnRequest } from '../../../activities/agent/contract.js';
import { type LoggedLine, readLines } from '../../support/acp-log.js';
import { aTurn } from './turn-builder.js';

const AGENT = resolve('test/support/acp-agent.mjs');

const adapter = createAcpAdapter([resolve('dist/activities/agent/adapters/acp/main.js')]);

export type Scenario = Readonly<Record<string, unknown>>;

export interface AcpTurnEnd {
  readonly reading: TurnReading;
  readonly exitCode: number | null;
  /** What the agent noted. */
  readonly log: readonly LoggedLine[];
  readonly events: readonly LoggedLine[];
}

export class AcpTurns {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-acp-')));

  private readonly clients: ChildProcess[] = [];

  private count = 0;

  /** `program`: of the agent; it gets the path of the scenario. */
  constructor(private readonly program = AGENT) {}

  /** `meanwhile` gets the client once it is started. */
  async take(
    scenario: Scenario,
    turn: Partial<TurnRequest> = {},
    meanwhile: (client: ChildProcess) => Promise<void> = async () => undefined,
  ) {
    const request = this.request(scenario, turn);
    const { stdout, stderr } = this;
    const { argv, env, stdin } = adapter.command(request);
    const [program, ...args] = argv;
    const files = [openSync(stdout, 'w'), openSync(stderr, 'w')] as const;
    const client = spawn(program, args, { cwd: this.folder, env, stdio: ['pipe', ...files] });
    this.clients.push(client);
    for (const file of files) closeSync(file);
    client.stdin?.end(stdin);
    await meanwhile(client);
    if (client.exitCode === null && client.signalCode === null) await once(client, 'exit');
    const { exitCode, signalCode: signal } = client;
    const exit: AgentExit = { exitCode, signal, reason: 'exited', endedAt: '2026-11-21T10:00:00.000Z', stdout, stderr };
    return {
      reading: await adapter.read(request, exit),
      exitCode,
      log: this.log(),
      events: this.events(),
    } satisfies AcpTurnEnd;
  }

  log(): AcpTurnEnd['log'] {
    return readLines(this.logPath);
  }

  /** What the client has printed by now. */
  events(): AcpTurnEnd['events'] {
    return readLines(this.stdout);
  }

  /** A test that failed may have left a client at work; its agent ends with it. */
  remove(): void {
    for (const client of this.clients) client.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get logPath(): string {
    return join(this.folder, `log-${this.count}`);
  }

  private get stdout(): string {
    return join(this.folder, `stdout-${this.count}`);
  }

  private get stderr(): string {
    return join(this.folder, `stderr-${this.count}`);
  }

  private request(scenario: Scenario, turn: Partial<TurnRequest>): TurnRequest {
    this.count += 1;
    const path = join(this.folder, `scenario-${this.count}.json`);
    writeFileSync(path, JSON.stringify({ log: this.logPath, ...scenario }));
    const config = {
      ...aTurn().config,
      adapter: 'acp' as const,
      command: [process.execPath, this.program, path] as const,
    };
    return aTurn({ cwd: this.folder, env: { PATH: process.env['PATH'] ?? '' }, config, ...turn });
  }
}
