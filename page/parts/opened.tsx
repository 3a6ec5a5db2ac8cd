/** Something that is asked for when somebody opens it, and no sooner. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AskFailed, ask } from '../state/ask.js';
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
      show(await ask<T>(path));
      tell(null);
    } catch (error) {
      tell(error instanceof AskFailed ? error.message : String(error));
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
