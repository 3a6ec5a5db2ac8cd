import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { TURN_STAGES } from '../../../protocol/run/stages.js';
import { type EndedRun, endedRun } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

/** Does its part in every stage, asks for one fix, and keeps what it was told. */
const PROGRAM = `cat > "$OUT/$SLUICE_STAGE.prompt"
echo "$ME $SLUICE_MODEL $SLUICE_EFFORT" > "$OUT/$SLUICE_STAGE.told"
word() { sed -n "s/^$1 \\([0-9a-f]*\\):.*/$1 \\1: $2/p" "$OUT/$SLUICE_STAGE.prompt" | tail -n 1; }
echo "the part of $SLUICE_STAGE"
case "$SLUICE_STAGE $SLUICE_ROUND" in
  'executing 0') echo changed >> a.txt ;;
  'fixing 1') echo fixed >> a.txt ;;
  'reviewing 0') word DECISION CHANGES_REQUESTED ;;
  'reviewing 1') word DECISION APPROVED ;;
  'verifying 1') word VERIFICATION PASSED ;;
esac
`;

const MODEL = (stage: TurnStage) => `model-of-${stage}`;
const EFFORT = (stage: TurnStage) => `effort-of-${stage}`;
const INSTRUCTIONS = (stage: TurnStage) => `Mind the ${stage} rule.`;

/** Six agents, one a stage, each with everything of its own. */
function sixAgents(out: string): string {
  const agents = TURN_STAGES.map(
    (stage) =>
      `  agent-${stage}:\n    command: [sh, -c, ${JSON.stringify(PROGRAM)}]\n    env: { OUT: ${JSON.stringify(out)}, ME: me-${stage} }\n`,
  );
  const stages = TURN_STAGES.map(
    (stage) =>
      `  ${stage}: { agent: agent-${stage}, model: ${MODEL(stage)}, effort: ${EFFORT(stage)}, instructions: ${INSTRUCTIONS(stage)} }\n`,
  );
  return `${agents.join('')}stages:\n${stages.join('')}`;
}

interface TurnFile {
  readonly stage: TurnStage;
  readonly round: number;
  readonly agent: string;
  readonly model: string | null;
}

function turnFiles({ run, events }: EndedRun): readonly TurnFile[] {
  const started = events.filter(({ type }) => type === 'turn.started');
  const folders = started.map(
    ({ data: { seq, stage } }) => `turns/${Number(seq)}-${TURN_STAGES.find((known) => known === stage)}`,
  );
  return folders.map((folder) => JSON.parse(run.read(`${folder}/turn.json`)) as TurnFile); // Written by the engine.
}

describe('the agents of the stages', () => {
  let host: TestHost;
  let out: string;
  let six: EndedRun;
  let one: EndedRun;
  let limited: EndedRun;

  beforeAll(async () => {
    host = await openTestHost();
    out = host.env['HOME'] ?? host.folder;
    await host.startWorker();
    [six, one, limited] = await Promise.all([
      endedRun(host, { config: sixAgents(out) }),
      endedRun(host, {
        config: `  planner:\n    command: [sh, -c, 'cat > /dev/null; echo the plan']\n    model: the-planners\nstages:\n  planning:\n    agent: planner\n`,
      }),
      endedRun(host, {
        config: 'stages:\n  planning: { timeout: 40s }\n  architecting: { timeout: 1s }\nlimits:\n  killGrace: 200ms\n',
        stages: {
          planning: { text: 'Plan.', delayMs: 3_000 },
          architecting: { text: 'Architecture.', delayMs: 60_000 },
        },
      }),
    ]);
  }, 300_000);

  afterAll(() => host.close());

  const told = (stage: TurnStage, what: 'told' | 'prompt') => readFileSync(join(out, `${stage}.${what}`), 'utf8');

  it('V-133: six agents for six stages give six names in turn.json, each with the model of its stage', () => {
    const files = turnFiles(six);

    expect(six.result.outcome).toBe('merge_ready');
    expect(files.map(({ stage, round }) => `${stage} ${round}`)).toEqual([
      'planning 0',
      'architecting 0',
      'executing 0',
      'reviewing 0',
      'fixing 1',
      'reviewing 1',
      'verifying 1',
    ]);
    expect(files.every(({ stage, agent, model }) => agent === `agent-${stage}` && model === MODEL(stage))).toBe(true);
    expect(new Set(files.map(({ agent }) => agent)).size).toBe(6);
  });

  it.each(TURN_STAGES)(
    'V-133: the agent of %s is told its own model, effort and instructions, and those of no other stage',
    (stage) => {
      const others = TURN_STAGES.filter((other) => other !== stage);

      expect(told(stage, 'told')).toBe(`me-${stage} ${MODEL(stage)} ${EFFORT(stage)}\n`);
      expect(told(stage, 'prompt')).toContain(INSTRUCTIONS(stage));
      expect(others.filter((other) => told(stage, 'prompt').includes(INSTRUCTIONS(other)))).toEqual([]);
    },
  );

  it("V-133: a stage without settings of its own uses the run's default agent", () => {
    const files = turnFiles(one);

    expect(one.result.outcome).toBe('merge_ready');
    expect(files.map(({ stage, agent, model }) => [stage, agent, model])).toEqual([
      ['planning', 'planner', 'the-planners'],
      ['architecting', 'script', null],
      ['executing', 'script', null],
      ['reviewing', 'script', null],
      ['verifying', 'script', null],
    ]);
    expect(existsSync(one.repository.ledgerPath)).toBe(true);
  });

  it('V-133: a stage has its own time limit: the same patience ends one turn and not another', () => {
    const ends = limited.events.filter(({ type }) => type === 'turn.completed' || type === 'turn.failed');

    expect(limited.result.outcome).toBe('failed');
    expect(ends.map(({ data }) => [data['stage'], data['outcome']])).toEqual([
      ['planning', 'done'],
      ['architecting', 'timeout'],
      ['architecting', 'timeout'],
    ]);
  });
});
