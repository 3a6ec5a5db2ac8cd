/** The numbers of metrics.json, each for people and as it is. */
import type { Metrics } from '../../protocol/views/metrics.js';
import { dollars, lasting } from '../parts/amount.js';
import { Facts } from '../parts/facts.js';

const ROWS: readonly (readonly [field: keyof Metrics, name: string, show: (value: number) => string])[] = [
  ['turns', 'turns', String],
  ['failedAttempts', 'failed of them', String],
  ['rounds', 'fix rounds', String],
  ['costMicroUsd', 'cost', dollars],
  ['tokensIn', 'tokens in', String],
  ['tokensOut', 'tokens out', String],
  ['wallMs', 'whole time', lasting],
  ['agentMs', 'of agents', lasting],
  ['validationMs', 'of checks', lasting],
  ['waitingForPeopleMs', 'of people', lasting],
  ['backOffMs', 'of limits', lasting],
  ['engineMs', 'of the engine', lasting],
];

/** What not every agent told is unknown, and no zero. */
export function Numbers({ metrics }: { readonly metrics: Metrics }) {
  return (
    <section>
      <h2>Numbers</h2>
      <Facts
        facts={ROWS.map(([field, name, show]) => {
          const value = metrics[field];
          return [name, value === null ? 'unknown' : <data value={value}>{show(value)}</data>];
        })}
      />
    </section>
  );
}
