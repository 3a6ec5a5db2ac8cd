/** The last line of `.ci/run`: what the whole run of `npm test` before it counted. Exit 1: it wrote no results. */
import { countsOf, RESULTS, readReport } from './jest-report.js';

const report = readReport(RESULTS);
console.log(report === null ? 'jest wrote no results' : countsOf(report));
process.exitCode = report === null ? 1 : 0;
