/** What is meant by a command that is not there, or was called otherwise. Pure. */
import { nearestName } from '../../../config/system/nearest-name.js';

/** As other tools name what this one does. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cancel: 'sluice abort ends a run',
  kill: 'sluice abort ends a run',
  log: 'sluice logs shows the journal of a run, or the output of one turn',
  ls: 'sluice list shows the runs',
  merge: 'sluice land brings closed runs to their base branch',
  ps: 'sluice list shows the runs',
  rm: 'sluice clean removes worktrees and branches of merged runs',
  start: 'sluice run starts a run, sluice up the local engine',
  stop: 'sluice abort ends a run, sluice down stops the local engine',
};

const QUOTED = 'a task of several words stands in quotes: sluice run "fix the parser"';

/** `told`: what commander says of it. Answers what is said, a line or two. */
export function tellWrongUsage(told: string): string {
  const [, unknown] = /unknown command '([^']*)'/.exec(told) ?? [];
  if (unknown !== undefined) {
    const meant = OTHER_NAMES[unknown];
    // Commander's own guess is by letters.
    if (meant !== undefined) return `${told.split('\n')[0]}\n(${meant})\n`;
    return told.includes('Did you mean') ? told : `${told}(${QUOTED}; sluice --help lists the commands)\n`;
  }
  return told.includes("too many arguments for 'run'") ? `${told}(${QUOTED})\n` : told;
}

/** In commander's words, which knows no topic of its help that is not there. */
export function tellUnknownTopic(name: string, topics: readonly string[]): string {
  const near = nearestName(name, topics);
  return `error: unknown command '${name}'${near === null ? '' : `\n(Did you mean ${near}?)`}`;
}
