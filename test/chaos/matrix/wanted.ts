/** What `npm run chaos` was asked for. Pure. */
import { parseArgs } from 'node:util';
import { SCENARIOS, type Scenario } from '../../../protocol/failpoints.js';
import { wholeNumber } from '../../support/whole-number.js';

/** On two cores the waiting for heartbeats and restarts leaves room for so many. */
const LANES = 8;

export interface Wanted {
  readonly scenario: Scenario | 'web';
  /** Part of the name of a cell; null: all of them. */
  readonly only: string | null;
  readonly lanes: number;
  /** Of `web`; null: as many as the whole has. */
  readonly kills: number | null;
  readonly json: boolean;
  /** Without the black box. */
  readonly cells: boolean;
  /** Without the cells. */
  readonly blackbox: boolean;
}

/** Errors: plain Error, with a sentence for people, for what asks for nothing, or for more than one run of this program does. */
export function wantedOf(args: readonly string[]): Wanted {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      lanes: { type: 'string' },
      json: { type: 'boolean', default: false },
      cells: { type: 'boolean', default: false },
      blackbox: { type: 'boolean', default: false },
      kills: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { only = null, json, cells, blackbox } = values;
  const [word = 'run', ...more] = positionals;
  if (more.length > 0) throw new Error(`one scenario at a time, not ${positionals.join(', ')}`);
  const scenario = [...SCENARIOS, 'web' as const].find((one) => one === word);
  if (scenario === undefined)
    throw new Error(`there are no cells of ${word}. There are the scenarios ${SCENARIOS.join(', ')}, and web.`);
  const [lanes, kills] = [wholeNumber('lanes', values.lanes) ?? LANES, wholeNumber('kills', values.kills)];
  return { scenario, only, lanes, kills, json, cells, blackbox };
}
