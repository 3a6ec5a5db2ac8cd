/**
 * Title and body of a pull request. Pure. What the engine says of a run is one block of the body, between markers; all else of the body is a person's and stays as it is, byte for byte. Texts of
 * others stand in fences, where they name nobody, close nothing and are no HTML, and what looks like a marker in them is made something else.
 */
import { printable, printableLine } from '../../protocol/text/printable.js';
import { shortHash } from '../../protocol/text/short-hash.js';

export interface ToldRun {
  readonly runId: string;
  readonly task: string;
  readonly agent: string;
  readonly model: string | null;
  readonly rounds: number;
  readonly verdict: string | null;
  /** Command lines that must pass before it lands. */
  readonly criteria: readonly string[];
  /** Of the change, with their status. */
  readonly files: readonly string[];
  /** Of those what steers agents or runs by itself. */
  readonly guarded: readonly string[];
  /** One line each. */
  readonly findings: readonly string[];
  /** `passed`, and of which commit; null: nothing was checked. */
  readonly checks: { readonly outcome: string; readonly commit: string } | null;
  /** In US dollars; null: not every turn told it. */
  readonly cost: string | null;
  /** How a person decides, one command a line. */
  readonly decide: readonly string[];
}

/** Unit: characters of UTF-16, as the forge counts them. */
const MAX_BODY_CHARS = 65_536;
const MAX_TITLE_CHARS = 250;
const MAX_TASK_CHARS = 8_000;
const MAX_LINES = 100;
const MAX_LINE_CHARS = 300;

/** An editor of the web ends lines in its own way. */
const BEGIN = /<!-- sluice begin ([0-9a-f]{1,64}) -->\r?\n/g;
const END = '<!-- sluice end -->';

/** One line, whatever the task has. */
export function pullTitle(title: string): string {
  const line = printableLine(title).trim();
  return line.length <= MAX_TITLE_CHARS ? line : `${wholeHead(line, MAX_TITLE_CHARS - 1)}…`;
}

/** The body with our block as it is now, in its place or at the end. The same again changes nothing. Where a person's part leaves no room it stays alone. */
export function pullBody(there: string, told: ToldRun): string {
  const old = findBlock(there);
  const before = old === null ? there : there.slice(0, old.from);
  const after = old === null ? '' : there.slice(old.to);
  const gap = old !== null || there === '' ? '' : there.endsWith('\n') ? '\n' : '\n\n';
  const room = MAX_BODY_CHARS - before.length - after.length - gap.length;
  const block = framed(contentOf(told));
  if (block.length <= room) return `${before}${gap}${block}${after}`;
  const short = framed(
    contentOf({ ...told, files: [], findings: [], guarded: [], criteria: [], task: told.task.slice(0, 500) }),
  );
  return short.length <= room ? `${before}${gap}${short}${after}` : there;
}

function framed(content: string): string {
  return `<!-- sluice begin ${shortHash(content)} -->\n${content}${END}`;
}

export interface ToldAnswer {
  readonly key: string;
  readonly by: string;
  /** Who took it up, and what came of it. */
  readonly runId: string;
  readonly head: string;
  readonly told: string | null;
}

/** Begins the answer to one review. */
export function answerMark(key: string): string {
  return `<!-- sluice answer ${shortHash(key)} -->`;
}

export function answerText({ key, by, runId, head, told }: ToldAnswer): string {
  const done = `The run ${inline(runId)} took up what the review of ${inline(by)} asks for; the head is ${inline(head)} now.`;
  const said =
    told === null
      ? ''
      : section('What it says to each finding', wholeHead(printable(told), MAX_TASK_CHARS).split('\n'));
  return [answerMark(key), done, said].filter((part) => part !== '').join('\n\n');
}

/** Somebody may have copied a block, or written markers: ours is the one whose text is what its mark says, else the last. Null: there is none. */
function findBlock(body: string): { readonly from: number; readonly to: number } | null {
  const begins = [...body.matchAll(BEGIN)];
  const blocks = begins.flatMap((begin, index) => {
    const start = begin.index + begin[0].length;
    const end = body.indexOf(END, start);
    const next = begins[index + 1]?.index ?? body.length;
    if (end < 0 || end > next) return [];
    return [
      {
        from: begin.index,
        to: end + END.length,
        isOurs: shortHash(body.slice(start, end).replaceAll('\r\n', '\n')) === begin[1],
      },
    ];
  });
  return blocks.findLast(({ isOurs }) => isOurs) ?? blocks.at(-1) ?? null;
}

function contentOf(told: ToldRun): string {
  const { checks, model, cost } = told;
  const facts = [
    `Run ${inline(told.runId)}, agent ${inline(told.agent)}${model === null ? '' : ` with ${inline(model)}`}`,
    `Fix rounds: ${told.rounds}; verdict: ${told.verdict ?? 'none'}${cost === null ? '' : `; cost: ${cost}`}`,
    checks === null ? 'Checks: none of this head' : `Checks: ${checks.outcome}, of ${inline(checks.commit)}`,
  ];
  return [
    facts.map((line) => `- ${line}`).join('\n'),
    section('Task', wholeHead(printable(told.task), MAX_TASK_CHARS).split('\n')),
    section('Criteria: what must pass before it lands', lines(told.criteria)),
    section('Guarded files, which steer agents or run by themselves', lines(told.guarded)),
    section('Files', lines(told.files)),
    section('Findings', lines(told.findings)),
    section('To decide', lines(told.decide)),
    '',
  ]
    .filter((part, index, all) => part !== '' || index === all.length - 1)
    .join('\n\n');
}

function lines(all: readonly string[]): readonly string[] {
  const shown = all.slice(0, MAX_LINES).map((line) => wholeHead(printableLine(line), MAX_LINE_CHARS));
  return all.length <= MAX_LINES ? shown : [...shown, `… and ${all.length - MAX_LINES} more`];
}

/** A fence that no line of the text ends. */
function section(title: string, all: readonly string[]): string {
  if (all.length === 0) return '';
  const text = harmless(all.join('\n'));
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `**${title}**\n${fence}text\n${text}\n${fence}`;
}

function inline(text: string): string {
  return `\`${harmless(printableLine(text)).replaceAll('`', "'")}\``;
}

/** No marker of ours begins or ends in it. */
function harmless(text: string): string {
  return text.replaceAll('<!--', '<! --').replaceAll('-->', '-- >');
}

/** Not in the middle of a character. */
function wholeHead(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const code = text.charCodeAt(chars - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? chars - 1 : chars);
}
