/** The scenario `landing`: every fault at every step of two heads on their way to a base, which is free or in use. */
import { cellsOf, nameOfCell } from '../cells.js';
import { type LandingResult, recordLandings, runLandingCells } from './landing-lanes.js';
import { isCleanLanding } from './verdict.js';

export interface LandingCampaign {
  /** Null: all cells. */
  readonly only: string | null;
  readonly lanes: number;
  readonly note: (text: string) => void;
}

/** Answers how many cells are not clean. Shape: one line a cell that is not, and one of all. */
export async function tryEveryLanding({ only, lanes, note }: LandingCampaign): Promise<number> {
  note('recording one undisturbed landing of each course');
  const cells = cellsOf(await recordLandings()).filter((cell) => only === null || nameOfCell(cell).includes(only));
  const done: LandingResult[] = [];
  const again: LandingResult[] = [];
  const tell = (result: LandingResult) => {
    const word = wordOf(result);
    const count = done.length + again.length;
    if (word !== 'clean' || count % 50 === 0) note(`${count}/${cells.length} ${nameOfCell(result.cell)}: ${word}`);
  };
  const onFirst = (result: LandingResult) => {
    (result.counts === null ? again : done).push(result);
    tell(result);
  };
  await runLandingCells({ cells, lanes, onResult: onFirst });
  // What did not come by in the same place: tasks may fall together otherwise under load. Once more, then it stands.
  const onSecond = (result: LandingResult) => {
    done.push(result);
    tell(result);
  };
  await runLandingCells({ cells: again.map(({ cell }) => cell), lanes, onResult: onSecond });
  const unclean = done.filter((result) => wordOf(result) !== 'clean').length;
  note(`${done.length - unclean} of ${done.length} landing cells clean`);
  return unclean;
}

function wordOf({ counts, error }: LandingResult): string {
  if (counts === null) return error ?? 'did not fire';
  return isCleanLanding(counts) ? 'clean' : JSON.stringify(counts);
}
