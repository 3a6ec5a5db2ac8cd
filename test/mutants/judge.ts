/**
 * What one run of jest says about one test. Only a test that ran and failed is red: a file that cannot be loaded, a jest that
 * crashed, or a title that no test has, says nothing of the sabotage and must not count as its discovery.
 */
import { stripVTControlCharacters } from 'node:util';

export type Verdict =
  | { readonly kind: 'green' }
  /** `why`: the first line of what the test said. */
  | { readonly kind: 'red'; readonly why: string }
  /** It was not done in its time. A test that is merely slow, beside other lanes, is late too: alone, it is as good as red. */
  | { readonly kind: 'late'; readonly why: string }
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
      /** **Unit** ms. Absent and null: it did not run. */
      readonly duration?: number | null;
    }[];
  }[];
}

export type JestEnd = JestReport | 'no report' | 'out of time';

export function judge(report: JestEnd, title: string): Verdict {
  if (report === 'no report') return { kind: 'nothing', why: 'jest ended without a report' };
  if (report === 'out of time') return { kind: 'late', why: 'it took several times as long as without the mutant' };
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
  if (NOT_COMPILED.test(why)) return { kind: 'nothing', why: firstLine(why) };
  return { kind: TIMED_OUT.test(why) ? 'late' : 'red', why: firstLine(why) };
}

/**
 * After how long a test that waits for what its mutant never does is ended: far beyond what it took without any mutant, with the start
 * of its jest and with hooks. **Unit** ms. `tookMs`: all of the run that `report` is of, which may hold other tests too.
 */
export function limitOf(report: JestReport, title: string, tookMs: number): number {
  const isNamed = titlePattern(title);
  const others = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((one) => !isNamed.test(one.title))
    .reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  return LEAST_LIMIT_MS + LIMIT_FACTOR * Math.max(0, tookMs - others);
}

const LEAST_LIMIT_MS = 20_000;
const LIMIT_FACTOR = 4;

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

/** A limit of jest's. */
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
