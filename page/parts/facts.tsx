/** Named facts, one below the other; those that are not known are left out. */
import type { ComponentChildren } from 'preact';
import { Line } from './text.js';

/** A text is shown as one that somebody else wrote. */
export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.flatMap(([name, value]) =>
        value === null || value === undefined || value === ''
          ? []
          : [
              <dt key={`${name}.name`}>{name}</dt>,
              <dd key={name}>{typeof value === 'string' ? <Line text={value} /> : value}</dd>,
            ],
      )}
    </dl>
  );
}
