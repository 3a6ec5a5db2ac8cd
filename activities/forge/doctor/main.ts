/** The process behind what `sluice doctor` says of a forge: one line of JSON in (`ForgeQuestion`), one out (`ForgeReport`). Apart from the command line, which reads no token and loads no octokit. */
import { answerLine } from '../../../config/system/answer-line.js';
import type { ForgeQuestion } from '../../../protocol/actors/forge-report.js';
import { reportForge } from './report-forge.js';

answerLine((question, stop) =>
  // Written by `sluice doctor` of the same version.
  reportForge(question as ForgeQuestion, { environment: process.env, stop }),
);
