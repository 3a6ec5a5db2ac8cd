/**
 * What one run of jest says about one test. Only a test that ran and failed is red: a file that cannot be loaded, a jest that
 * crashed, or a title that no test has, says nothing of the sabotage and must not count as its discovery.
 */
import { stripVTControlCharacters } from 'node:util';

export type Verdict =
  | { readonly kind: 'green' }
  /** `why`: the first line of what the test said. */
  | { readonly kind: 'red'; readonly why: string }
  /** The run says nothing about the test. */
  | { readonly kind: 'nothing'; readonly why: string };

/** The part of jest's `--json` output that is read. */
export interface JestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** Null: jest wrote no report. */
export function judge(report: JestReport | null, title: string): Verdict {
  if (report === null) return { kind: 'nothing', why: 'jest ended without a report' };
  const broken = report.testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  if (broken !== undefined)
    return { kind: 'nothing', why: `the test file could not be loaded: ${firstLine(broken.message)}` };
  const isNamed = titlePattern(title);
  const ran = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((one) => isNamed.test(one.title) && (one.status === 'passed' || one.status === 'failed'));
  if (ran.length === 0) return { kind: 'nothing', why: 'no test of that title ran' };
  const failed = ran.find(({ status }) => status === 'failed');
  if (failed === undefined) return { kind: 'green' };
  const why = failed.failureMessages?.[0] ?? '';
  return NOT_COMPILED.test(why) ? { kind: 'nothing', why: firstLine(why) } : { kind: 'red', why: firstLine(why) };
}

/** What cannot be built of a mutant: nothing else is wrong, and no test said anything. */
export class NotBuiltError extends Error {}

/** Errors: all but that it cannot be built. */
export async function judgeBuilt(work: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotBuiltError) return { kind: 'nothing', why: error.message };
    throw error;
  }
}

/** Whether it was red by a limit of jest alone: a test that is merely slow, beside other lanes, is so too. */
export function isLate(verdict: Verdict): boolean {
  return verdict.kind === 'red' && TIMED_OUT.test(verdict.why);
}

const TIMED_OUT = /Exceeded timeout of .+ for a (?:test|hook)/;

/** A program that a test compiles or loads by itself. */
const NOT_COMPILED = /^(?:SyntaxError|ReferenceError)\b|error TS\d+|Cannot find module/;

/** The whole title; what a table fills in may be anything. */
export function titlePattern(title: string): RegExp {
  return new RegExp(`^${patternText(title)}$`, 's');
}

/** For jest's `-t`, which is held against the titles of all groups around a test and its own. */
export function testNamePattern(titles: readonly string[]): string {
  return `(?:^| )(?:${titles.map(patternText).join('|')})$`;
}

/** `%s`, `%j` and the like, `$name` and `$a.b` are filled in by jest; `%%` is a percent sign. */
function patternText(title: string): string {
  return title
    .split(/(%[sdifjop#%]|\$[A-Za-z_][\w.]*)/)
    .map((part, index) => (index % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : part === '%%' ? '%' : '.*'))
    .join('');
}

function firstLine(text: string): string {
  const plain = stripVTControlCharacters(text);
  return (plain.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 200);
}
