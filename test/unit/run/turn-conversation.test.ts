/** A conversation from turn to turn on a host, with programs that talk like Codex: who goes on with which, and what is counted. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../support/temp-folder.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const folder = tempFolder();
let host: RewindHost;
let run: DrivenRun;
let runs = 0;

/** Writes its arguments down, changes a file, and counts its conversation on: 1000 tokens a turn. */
const PROGRAM = (log: string) => `#!/bin/sh
echo "$@" >> '${log}'
case "$*" in
  *lost*) echo 'Error: no rollout found for thread id lost' >&2; exit 1;;
  *'resume thread-1'*) sum=2000;;
  *) sum=1000;;
esac
cat >> a.txt
echo '{"type":"thread.started","thread_id":"thread-1"}'
echo '{"type":"item.completed","item":{"type":"command_execution","command":"x","status":"declined"}}'
echo '{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":'$sum',"output_tokens":10}}'
`;

beforeAll(async () => {
  writeFileSync(join(folder, 'codex'), PROGRAM(join(folder, 'log')));
  chmodSync(join(folder, 'codex'), 0o755);
  const agent = (name: string) =>
    `  ${name}: {adapter: codex, command: ${join(folder, 'codex')}, args: [-c, name=${name}]}\n`;
  const config = `${agent('one')}${agent('two')}stages:\n  executing: {agent: one}\n  fixing: {agent: one}\n  reviewing: {agent: one}\n`;
  host = await aRewindHost({ fixture: fixtureWith({}), config });
});

afterAll(() => {
  host.close();
});

beforeEach(async () => {
  runs += 1;
  run = await host.start(`run-${runs}`);
  writeFileSync(join(folder, 'log'), '');
});

const started = () => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');

/** An executing turn and the place that it had. */
async function executed(): Promise<{ readonly continues: ReturnType<DrivenRun['turnInput']>['place'] }> {
  const input = run.turnInput('executing');
  run.head = (await run.runTurn(input)).head;
  return { continues: input.place };
}

describe('a conversation', () => {
  it('is gone on with by the same agent, and the later turn tells what it added', async () => {
    const input = run.turnInput('fixing', await executed());
    const result = await run.runTurn(input);

    expect(result.outcome).toEqual({ kind: 'done' });
    expect(started()[1]).toMatch(/ resume thread-1 -$/);
    const ended = result.observations.find(({ type }) => type === 'turn.completed');
    expect(ended?.data).toMatchObject({ tokensIn: 1000, tokensOut: 0, denied: 1 });
    expect(ended?.message).toContain('1 tool call(s) were refused');
    const shown: unknown = JSON.parse(
      readFileSync(join(run.opened.runDir, `turns/${input.place.seq}-fixing/turn.json`), 'utf8'),
    );
    expect(shown).toMatchObject({ conversationId: 'thread-1', tokensIn: 1000, denied: 1 });
  });

  it('is new where no place is named, where the agent is another, and where the host does not know the place', async () => {
    const { continues } = await executed();
    const elsewhere = { ...continues, token: '00000000-0000-4000-8000-000000000000' };
    for (const more of [{}, { continues, agent: 'two' }, { continues: elsewhere }]) {
      run.head = (await run.runTurn(run.turnInput('fixing', more))).head;
    }

    expect(started()).toHaveLength(4);
    for (const line of started()) expect(line).not.toContain('resume');
  });

  it('is not taken from a mark that does not carry the seal of its turn', async () => {
    const { continues } = await executed();
    const mark = join(host.deps.home.turnDir(run.opened.repoKey, run.runId, continues), 'outcome.json');
    writeFileSync(mark, readFileSync(mark, 'utf8').replace(/"exit":"[0-9a-f]{64}"/, `"exit":"${'0'.repeat(64)}"`));

    await run.runTurn(run.turnInput('fixing', { continues }));

    expect(started()[1]).not.toContain('resume');
  });

  it('that the agent has lost is said, so that the next attempt begins a new one', async () => {
    const { continues } = await executed();
    const mark = join(host.deps.home.turnDir(run.opened.repoKey, run.runId, continues), 'outcome.json');
    writeFileSync(mark, readFileSync(mark, 'utf8').replace('"id":"thread-1"', '"id":"lost"'));

    const { outcome } = await run.runTurn(run.turnInput('fixing', { continues }));

    expect(outcome).toEqual({ kind: 'transient', fresh: true, why: expect.stringContaining('no rollout found') });
  });

  it('is kept by a turn that failed before it told of one', async () => {
    const { continues } = await executed();
    const lost = run.turnInput('fixing', { continues });
    const mark = join(host.deps.home.turnDir(run.opened.repoKey, run.runId, continues), 'outcome.json');
    writeFileSync(mark, readFileSync(mark, 'utf8').replace('"id":"thread-1"', '"id":"lost"'));
    await run.runTurn(lost);

    await run.runTurn(run.turnInput('fixing', { continues: lost.place }));

    expect(started()[2]).toMatch(/ resume lost -$/);
  });
});

describe('a turn that may not write', () => {
  it('runs its agent for looking only', async () => {
    await run.runTurn(run.turnInput('reviewing'));
    await executed();

    expect(started()[0]).toContain('-s read-only');
    expect(started()[1]).toContain('-s workspace-write');
  });
});
