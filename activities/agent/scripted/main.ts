/**
 * The scripted agent: `node main.js <fixture.json>`, prompt on stdin, answer on stdout. A real process that stands in for a coding
 * agent in demo and tests. Loads next to nothing, so that it starts as fast as node does.
 * Stage and round come from the environment of the turn; by hand, the marker at the top of the prompt is enough.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../../config/system/error-code.js';
import { closeForeignDescriptors } from '../../../config/system/foreign-descriptors.js';
import { ASKS } from '../../../protocol/run/admission-policy.js';
import { TURN_STAGES } from '../../../protocol/run/stages.js';
import { type Fixture, parseFixture, pickRepeat, pickTurn, type ScriptedTurn } from './fixture.js';
import { readLedger } from './ledger.js';
import { performTurn, type ScriptedScene } from './perform.js';

/** The fixture is wrong, or something it asks for could not be done. */
const EXIT_CANNOT = 70;

closeForeignDescriptors();
main(process.argv[2]).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`scripted agent: ${messageOf(error)}\n`);
    process.exitCode = EXIT_CANNOT;
  },
);

async function main(fixturePath: string | undefined): Promise<number> {
  if (fixturePath === undefined) throw new Error('no fixture given: start it as node main.js <fixture.json>');
  const fixture = readFixture(fixturePath);
  const prompt = await text(process.stdin);
  const stands = standing(prompt);
  const planned = pickTurn(fixture, stands);
  const fixtureFolder = dirname(resolve(fixturePath));
  const ledgerPath = planned.ledger ?? fixture.ledger;
  const ledger = ledgerPath === undefined ? null : resolve(fixtureFolder, ledgerPath);
  const token = process.env['SLUICE_TURN'] ?? '-';
  const scene: ScriptedScene = { ...stands, code: codeOf(prompt), token, ledger, fixtureFolder };
  return performTurn(againOrFirst(planned, scene), scene);
}

function readFixture(path: string): Fixture {
  try {
    return parseFixture(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`);
  }
}

function standing(prompt: string): Pick<ScriptedScene, 'stage' | 'round' | 'ask' | 'step'> {
  const marker = /^\[stage:(\w+)\](?: \[round:(\d+)\])?(?: \[ask:(\w+)\])?(?: \[step:(\d+)\])?/.exec(prompt);
  const stage = process.env['SLUICE_STAGE'] ?? marker?.[1];
  const round = Number(process.env['SLUICE_ROUND'] ?? marker?.[2] ?? 0);
  const known = [...TURN_STAGES, ...ASKS].find((each) => each === stage);
  if (known === undefined)
    throw new Error(
      `stage ${JSON.stringify(stage) ?? 'unknown'}: set SLUICE_STAGE to a stage with turns, or to an ask`,
    );
  const step = process.env['SLUICE_STEP'] ?? marker?.[4];
  return {
    stage: known,
    round,
    ask: marker?.[3] === 'decision' ? 'decision' : 'work',
    step: step === undefined ? null : Number(step),
  };
}

/** Of the templates, the last line of its kind: earlier ones may stand in texts of others. */
function codeOf(prompt: string): string | null {
  return [...prompt.matchAll(/^(?:DECISION|VERIFICATION|HUMAN_APPROVAL|QUESTION) (\S+):/gm)].at(-1)?.[1] ?? null;
}

/** A time is over once it is in the ledger, also if it was killed. */
function againOrFirst(planned: ScriptedTurn, { stage, round, ask, step, ledger }: ScriptedScene): ScriptedTurn {
  if (planned.again === undefined || ledger === null) return planned;
  const before = readLedger(ledger).filter(
    (entry) =>
      entry.event === 'START' &&
      entry.stage === stage &&
      entry.round === String(round) &&
      entry.ask === ask &&
      Number(entry.step ?? -1) === (step ?? -1),
  );
  return pickRepeat(planned, before.length);
}
