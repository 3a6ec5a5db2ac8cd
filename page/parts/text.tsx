/** Text that somebody else wrote: what could reorder a line or hide in it is made visible. */
import { printable, printableLine } from '../../protocol/text/printable.js';

/** On one line. */
export function Line({ text, class: name }: { readonly text: string; readonly class?: string }) {
  return <bdi class={name}>{printableLine(text)}</bdi>;
}

/** With its lines. */
export function Block({ text }: { readonly text: string }) {
  return (
    <pre class="block" tabIndex={0}>
      <bdi>{printable(text)}</bdi>
    </pre>
  );
}
