/** A patch, line by line: what was added and taken away by colour and by its sign. */
import { printable } from '../../protocol/text/printable.js';

/** A file of more is looked at elsewhere: a browser draws each. */
const MAX_LINES = 3_000;

export function Patch({ patch, isCut }: { readonly patch: string; readonly isCut: boolean }) {
  const lines = printable(patch).split('\n');
  const shown = lines.slice(0, MAX_LINES);
  return (
    <>
      <pre class="block patch" tabIndex={0}>
        {shown.map((line, place) => (
          // Lines of a patch never change their places.
          <span key={place} class={classOf(line)}>
            <bdi>{line}</bdi>
            {'\n'}
          </span>
        ))}
      </pre>
      {isCut || shown.length < lines.length ? <p class="quiet">The rest is left out: sluice diff shows it.</p> : null}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'plus';
  if (line.startsWith('-') && !line.startsWith('---')) return 'minus';
  return line.startsWith('@@') ? 'quiet' : '';
}
