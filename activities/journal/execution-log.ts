/**
 * The content of `execution.log`: what executing turns said, one header line a turn. Pure: from the old content and one turn to the new content.
 * The same turn again replaces its own section, so that an activity may repeat it.
 */

export interface ExecutionLogTurn {
  readonly seq: number;
  readonly stage: string;
  readonly agent: string;
  readonly startedAt: string;
  readonly output: string;
}

/** Source: docs/requirements/vibestrate.md "Run directory". */
export const MAX_EXECUTION_LOG_BYTES = 10 * 1024 * 1024;

const CUT_MARKER = '\n[cut at 10 MiB; the whole output of each turn is in turns/<seq>-<stage>/output.md]\n';

export function addToExecutionLog(log: string, turn: ExecutionLogTurn): string {
  const header = `=== turn ${turn.seq} ${turn.stage} ${turn.agent} ${turn.startedAt} ===`.replace(/[\r\n]+/g, ' ');
  // A line that looks like a header would break the log apart when a turn is repeated.
  const output = turn.output.replace(/^=== turn /gm, ' === turn ');
  const section = `${header}\n${output}${output.endsWith('\n') ? '' : '\n'}`;
  const isCut = log.endsWith(CUT_MARKER);
  const sections = (isCut ? log.slice(0, -CUT_MARKER.length) : log).split(/^(?==== turn \d+ )/m);
  const own = sections.findIndex((text) => text.startsWith(`=== turn ${turn.seq} `));
  // What was cut is gone: only the turn that the cut went through can be written again.
  if (isCut && own !== sections.length - 1) return log;
  const rest = own < 0 ? [...sections, section] : sections.with(own, section);
  return cut(rest.join(''));
}

function cut(log: string): string {
  const bytes = Buffer.from(log);
  if (bytes.length <= MAX_EXECUTION_LOG_BYTES) return log;
  let end = MAX_EXECUTION_LOG_BYTES - Buffer.byteLength(CUT_MARKER);
  // Not inside a character: continuation bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + CUT_MARKER;
}
