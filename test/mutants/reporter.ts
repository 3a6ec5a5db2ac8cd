/** What `npm run mutants` prints: one line a mutant; on a terminal also what is at work; with `--json` one object a line and nothing else. */
import type { Verdict } from './judge.js';
import type { Mutant, MutantResult } from './mutant.js';

export interface Reporter {
  phase(text: string): void;
  begin(mutant: Mutant): void;
  /** **Unit** ms. */
  tried(mutant: Mutant, verdict: Verdict, ms: number): void;
  end(results: readonly MutantResult[]): void;
}

const WORDS: Record<Verdict['kind'], string> = {
  red: 'killed',
  late: 'killed',
  green: 'SURVIVED',
  nothing: 'NO VERDICT',
};

export function createReporter({ json, total }: { readonly json: boolean; readonly total: number }): Reporter {
  return json ? jsonReporter() : textReporter(total);
}

function textReporter(total: number): Reporter {
  const began = performance.now();
  const atWork = new Set<string>();
  let done = 0;
  const isTerminal = process.stdout.isTTY === true;
  const clear = () => {
    if (isTerminal) process.stdout.write('\r\u001b[2K');
  };
  const line = (text: string) => {
    clear();
    console.log(text);
  };
  const status = (text: string) => {
    clear();
    if (isTerminal) process.stdout.write(text.slice(0, (process.stdout.columns || 80) - 1));
  };
  const progress = () => status(`${done} of ${total} · ${[...atWork].join(' · ')}`);
  return {
    phase: (text) => (isTerminal ? status(`${text} …`) : line(`${text} …`)),
    begin: ({ name }) => {
      atWork.add(name);
      progress();
    },
    tried: (mutant, verdict, ms) => {
      atWork.delete(mutant.name);
      done += 1;
      line(
        `${WORDS[verdict.kind].padEnd(10)} ${mutant.area.padEnd(8)} ${mutant.name} (${(ms / 1000).toFixed(1)} s)${detailsOf(mutant, verdict)}`,
      );
      progress();
    },
    end: (results) => {
      status('');
      const killed = results.filter((result) => result.killed).length;
      console.log(
        `\n${killed} of ${results.length} mutants killed in ${((performance.now() - began) / 1000).toFixed(0)} s`,
      );
      for (const { area, name } of results.filter((result) => !result.killed))
        console.log(`not killed: ${area}: ${name}`);
    },
  };
}

/** A mutant that was killed needs no more words. */
function detailsOf({ file, find, replace, test }: Mutant, verdict: Verdict): string {
  if (verdict.kind === 'red' || verdict.kind === 'late') return '';
  const why = verdict.kind === 'nothing' ? `\n  ${verdict.why}` : '';
  return `\n  ${file}: ${find}\n  became: ${replace}\n  and this was not red: ${test.file}: "${test.title}"${why}`;
}

function jsonReporter(): Reporter {
  const print = (value: object) => console.log(JSON.stringify(value));
  return {
    phase: () => {},
    begin: () => {},
    tried: ({ name, area, file, test }, verdict, ms) =>
      print({
        kind: 'mutant',
        name,
        area,
        file,
        test,
        verdict: verdict.kind,
        why: 'why' in verdict ? verdict.why : null,
        seconds: Math.round(ms / 100) / 10,
      }),
    end: () => {},
  };
}
