/** The parts of the bench `admission`: what is found out about a task before it may start, and a planned task until it has landed. */
import type { Few, Parts } from '../parts.js';
import { askParts } from './ask-parts.js';
import { compareParts } from './compare-parts.js';
import { crowdParts } from './crowd-parts.js';

export function admissionParts(few: Few): Parts {
  return { ...askParts(few), ...crowdParts(few), ...compareParts(few) };
}
