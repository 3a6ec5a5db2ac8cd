/**
 * Rows that ask for several things at once, each with its parts: a row of these counts only where every part has a test. A part has the words that
 * the titles which show it hold; other titles of the row show more of it. Null: nothing shows it yet.
 */
export const ROW_PARTS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'V-06': {
    'all seven by default': 'by default every stage',
    express: 'express enters',
    'plan-only, which writes nothing': 'plan-only leaves nothing',
    'set for a run': 'given at the start of the run',
  },
  'V-17': {
    'a write run without a change': 'ends no_changes',
    'a read-only run': 'skips commit and diff check',
  },
  'V-99': {
    'the file before its status': 'its file and its status',
    'no status without its file': 'its outcome and its file',
  },
  'V-124': {
    'status kept, wait shown, durable to the reset': 'keeps the status',
    'at most 1440 minutes, and stop': 'beyond the longest wait, by default of a day',
    'at most two waits, no retry used': 'no more than twice',
    fallback: 'goes to the fallback agent',
  },
  'V-125': {
    'the same write rights': 'gives the fallback agent the rights',
    'a new conversation': 'begins a new conversation',
    'once for each turn': 'once for each turn',
    'none by default': 'none by default',
  },
  'V-130': {
    'turns of a run': 'turns are checked before each turn',
    'minutes and money of a run': 'minutes of agents at work',
    'turns of a day': 'turns of all runs of a project count together and are checked',
    'minutes of a day': 'minutes of all runs of a project',
    'money of a day': 'money and turns of all runs',
    'a gate instead of the end': 'onLimit pause',
    'the count over a kill': 'keeps its count',
  },
  'V-135': {
    'the commands of a run': 'help lists every command',
    'status --json through a pipe': '400 kB',
    'land, queue and tasks, with the merge queue and the backlog': null,
  },
  'V-136': {
    'the time of a turn without an agent': 'zero-latency agent',
    'a budget that does not hold is red': 'the bench is red',
  },
  'B-44': {
    'a usage limit': 'none until the reset',
    'a rate limit': 'none until its end, by one timer',
    'the end of its timer': 'when the timer of the gate fires',
  },
  'T-29': {
    'runs of the account alone': 'blocks only runs',
    'with the adapters of both providers': 'with the adapters of both',
  },
  'T-106': {
    tokens: 'tokens that a turn read and wrote',
    cost: 'money and turns of all runs',
  },
};

export interface ShownPart {
  readonly row: string;
  readonly part: string;
  /** Titles; empty: it is not shown. */
  readonly shownBy: readonly string[];
}

/** Of the rows that have some, in the order of the table. */
export function shownParts(rows: readonly { readonly row: string; readonly title: string }[]): readonly ShownPart[] {
  return Object.entries(ROW_PARTS).flatMap(([row, parts]) =>
    Object.entries(parts).map(([part, words]) => {
      const titles = rows.filter((one) => one.row === row && words !== null && one.title.includes(words));
      return { row, part, shownBy: titles.map(({ title }) => title) };
    }),
  );
}

/** A test names it, and every part that it has is shown. */
export function isShown(row: string, rows: readonly { readonly row: string; readonly title: string }[]): boolean {
  const isOpen = shownParts(rows).some((part) => part.row === row && part.shownBy.length === 0);
  return !isOpen && rows.some((one) => one.row === row);
}
