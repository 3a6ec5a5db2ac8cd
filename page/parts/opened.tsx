/** Something that is asked for when somebody opens it, and no sooner. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Line } from './text.js';

interface OpenedProps<T> {
  readonly summary: ComponentChildren;
  readonly path: string;
  readonly children: (answer: T) => ComponentChildren;
}

export function Opened<T>({ summary, path, children }: OpenedProps<T>) {
  const [answer, show] = useState<T | null>(null);
  const [failure, tell] = useState<string | null>(null);
  const open = async (isOpen: boolean) => {
    if (!isOpen || answer !== null) return;
    try {
      // A report is drawn of the same parts by Node, which has no session and opens nothing.
      const { ask } = await import('../state/ask.js');
      show(await ask<T>(path));
      tell(null);
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <details onToggle={(event) => void open(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {failure === null ? null : (
        <p class="warning">
          <Line text={failure} />
        </p>
      )}
      {answer === null ? null : children(answer)}
    </details>
  );
}
