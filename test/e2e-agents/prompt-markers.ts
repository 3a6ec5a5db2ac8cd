/**
 * What the mock reads in a request: the marker line that opens each of our prompts, the prompt's code, and `[mock:…]` in the task, which says
 * how the provider is to behave. The last of each counts: a resumed conversation carries the earlier prompts too.
 */

export interface PromptMarkers {
  /** Null: no prompt of ours, for instance a request for a title. */
  readonly stage: string | null;
  readonly round: number;
  readonly ask: string;
  /** Of the plan; null: the prompt is for no step. */
  readonly step: number | null;
  /** It tells that its step was begun in an earlier run. */
  readonly goesOn: boolean;
  /** Numbers of the tasks that a new one is compared with. */
  readonly candidates: readonly number[];
  /** The prompt's code, as its templates show it; empty where none is shown. */
  readonly code: string;
  readonly faults: readonly FaultMarker[];
}

/** `[mock:429 stage=executing times=1 after=3]`. Shape: `text` is the whole marker; it is what uses are counted by. */
export interface FaultMarker {
  readonly text: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** `text` may be a message or a whole request as JSON: none of the markers holds a character that JSON escapes. */
export function readMarkers(text: string): PromptMarkers {
  const last = [...text.matchAll(/\[stage:(\w+)\] \[round:(\d+)\] \[ask:(\w+)\](?: \[step:(\d+)\])?/g)].at(-1);
  const own = last === undefined ? '' : text.slice(last.index);
  return {
    stage: last?.[1] ?? null,
    round: Number(last?.[2] ?? 0),
    ask: last?.[3] ?? 'work',
    step: last?.[4] === undefined ? null : Number(last[4]),
    goesOn: own.includes('begun before and not finished'),
    candidates: [...own.matchAll(/## Task (\d+), which is there already/g)].map(([, id]) => Number(id)),
    code:
      /(?:DECISION|VERIFICATION|HUMAN_APPROVAL) ([A-Za-z0-9-]+): (?:APPROVED|PASSED|REQUIRED) \|/.exec(own)?.[1] ?? '',
    faults: faultsIn(own),
  };
}

function faultsIn(text: string): readonly FaultMarker[] {
  const markers = new Map<string, FaultMarker>();
  for (const [marker, name = '', rest = ''] of text.matchAll(/\[mock:([\w-]+)((?: \w+=[\w.-]+)*)\]/g)) {
    const settings = Object.fromEntries(
      [...rest.matchAll(/(\w+)=([\w.-]+)/g)].map(([, key = '', value = '']) => [key, value]),
    );
    markers.set(marker, { text: marker, name, settings });
  }
  return [...markers.values()];
}
