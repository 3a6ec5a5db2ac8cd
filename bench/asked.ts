/** What a command line asks of the bench, before anything is measured. */

export interface Asked {
  /** The scenario, and what else stands there without a name. */
  readonly words: readonly string[];
  readonly only?: string | undefined;
  readonly against?: string | undefined;
  readonly json?: boolean | undefined;
  readonly brief?: boolean | undefined;
  readonly save?: boolean | undefined;
}

/** Parts by scenario, each in the order in which they are measured. */
export type PartsOf = Readonly<Record<string, readonly string[]>>;

export type Understood =
  | { readonly scenario: string; readonly parts: readonly string[] }
  /** A sentence or more. */
  | { readonly refusal: string };

/** The parts are in their own order and each there once, however they are named. */
export function understand(asked: Asked, partsOf: PartsOf): Understood {
  const [scenario = 'run', ...others] = asked.words;
  const names = Object.hasOwn(partsOf, scenario) ? (partsOf[scenario] ?? []) : [];
  const wanted = asked.only?.split(',') ?? names;
  const unknown = [...others, ...(names.length === 0 ? [scenario] : wanted.filter((name) => !names.includes(name)))];
  const refusal =
    unknown.length > 0 ? `${unknown.join(', ')} is unknown. ${whatThereIs(partsOf)}` : refusalOf(asked, scenario);
  if (refusal !== null) return { refusal };
  return { scenario, parts: names.filter((name) => wanted.includes(name)) };
}

function refusalOf({ only, against, json, brief, save }: Asked, scenario: string): string | null {
  if (against !== undefined && (scenario !== 'run' || only !== undefined || json === true || save === true))
    return '--against compares what it compares of "run" and prints a table: it takes only --brief. Nothing was measured.';
  if (save !== true) return null;
  if (scenario !== 'run') return '--save keeps the figures of "run" alone. Nothing was measured.';
  if (brief === true || only !== undefined)
    return '--save keeps figures of the same minutes only, so it takes neither --only nor --brief. Nothing was measured.';
  return null;
}

function whatThereIs(partsOf: PartsOf): string {
  const scenarios = Object.entries(partsOf).map(([name, parts]) => `"${name}" of ${parts.join(',')}`);
  return `There are the benches ${scenarios.join(' and ')}, with --json, --brief, --only <parts>; of "run" also --save and --against.`;
}
