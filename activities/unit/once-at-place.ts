/**
 * One attempt of an activity that has a place. Whoever asks again, in this process or after its death, gets the one answer: of the attempt that is
 * at work, of the record, or of the work, which goes on after the last mark that it finds.
 * Not promised: that the work is done once. A death before the record repeats it, so each of its steps is harmless when it is done again.
 */
import { placeDir } from '../../config/home/home.js';
import type { Place } from '../../protocol/run/place.js';
import type { Signals } from './attempts.js';
import { attend } from './attend.js';
import type { HostDeps } from './host-deps.js';
import {
  openPlaceFolder,
  type PlaceFolder,
  RECORD_FILE,
  readMark,
  readSealedMark,
  writePlaceMark,
  writeSealedMark,
} from './place-record.js';
import { type GivenToAgents, hidingInErrors } from './run-redactor.js';
import type { Workplace } from './workplace.js';

/** Whose place it is: a run's, that of a run whose head a queue lands, or an item's. */
export interface PlaceOwner extends GivenToAgents {
  /** Its folder below the sluice home. Absolute. */
  readonly stateDir: string;
  readonly workplace: Workplace;
}

/** What an attempt works with. */
export interface Attempt<Owner extends PlaceOwner> {
  readonly owner: Owner;
  readonly place: PlaceFolder;
  readonly signals: Signals;
}

export interface OncePlaced<Result, Owner extends PlaceOwner> {
  /** Begins the names of its failpoints. */
  readonly name: 'open' | 'turn' | 'validate' | 'close' | 'land' | 'check' | 'ask';
  readonly input: { readonly place: Place };
  /** Finds the owner, or refuses. Writes nothing: a refused activity leaves no folder. */
  readonly find: () => Owner | Promise<Owner>;
  /** The record answers only beside the end of the place's own command; where none has ended, none is written. */
  readonly isSealed: boolean;
  readonly work: (at: Attempt<Owner>) => Promise<Result>;
  /** What else is due where an earlier attempt has answered. */
  readonly answerAgain?: (owner: Owner, answer: Result) => Promise<Result>;
}

/** Errors: as `attend`; those of `find`; those of `work`, without the values that the owner's agents were given. */
export function onceAtPlace<Result, Owner extends PlaceOwner>(
  deps: HostDeps,
  { name, input, find, isSealed, work, answerAgain }: OncePlaced<Result, Owner>,
): Promise<Result> {
  return attend(deps, input.place.token, async (signals) => {
    const owner = await find();
    return hidingInErrors(owner, async () => {
      const place = await openPlaceFolder(placeDir(owner.stateDir, input.place), input, deps.durability);
      const record = isSealed ? readSealedMark<Result>(place, RECORD_FILE) : readMark<Result>(place, RECORD_FILE);
      if (record.kind === 'answer') return answerAgain?.(owner, record.value) ?? record.value;
      const result = await work({ owner, place, signals });
      deps.failpoint(`${name}.before-record`);
      (isSealed ? writeSealedMark : writePlaceMark)(place, RECORD_FILE, result);
      deps.failpoint(`${name}.after-record`);
      return result;
    });
  });
}
