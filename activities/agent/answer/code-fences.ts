/**
 * Takes an agent's text apart into the lines outside code fences and the fenced blocks, so that what decides and what is quoted are never mixed up.
 * One pass, line by line: a text of any size or shape is read in time that grows with its length. Source: CommonMark 0.31 section 4.5.
 */

export interface FencedBlock {
  /** Words behind the opening mark, in small letters. */
  readonly info: readonly string[];
  readonly content: string;
}

export interface FencedText {
  /** A quoted line stays in: its `>` keeps it from being a decision line. */
  readonly plain: readonly string[];
  /** Outermost ones, in order; a fence inside another is content. An unclosed one reaches to the end. */
  readonly blocks: readonly FencedBlock[];
}

export function readFences(text: string): FencedText {
  const plain: string[] = [];
  const blocks: FencedBlock[] = [];
  let fence: Fence | null = null;
  let content: string[] = [];
  const close = ({ info }: Fence) => blocks.push({ info, content: content.join('\n') });
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trimEnd();
    if (fence !== null) {
      if (closes(fence, line)) {
        close(fence);
        fence = null;
      } else content.push(line);
      continue;
    }
    fence = openedBy(line);
    if (fence === null) plain.push(line);
    else content = [];
  }
  if (fence !== null) close(fence);
  return { plain, blocks };
}

interface Fence {
  readonly mark: string;
  readonly column: number;
  readonly info: readonly string[];
}

/**
 * A fence may stand in a list item, so any indent and one list mark are allowed before it: too wide a fence hides a decision, which
 * is then asked for again; too narrow a one would show a quoted decision.
 */
function openedBy(line: string): Fence | null {
  // Most lines are none, and a text may have a million of them.
  if (!line.includes('```') && !line.includes('~~~')) return null;
  const match = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const info = (match[3] ?? '').slice(0, MAX_INFO_CHARS).toLowerCase().split(/\s+/);
  return { mark: match[2], column: match[1].length, info: info.filter((word) => word !== '') };
}

const MAX_INFO_CHARS = 200;

function closes(fence: Fence, line: string): boolean {
  const match = /^([ \t]*)(`{3,}|~{3,})$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return false;
  return match[1].length <= fence.column + 3 && match[2].startsWith(fence.mark);
}
