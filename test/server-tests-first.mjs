/** Server tests begin before unit tests: they take longer, and of the last files a long one would leave the other workers without work. */
import TestSequencer from '@jest/test-sequencer';

export default class ServerTestsFirst extends TestSequencer {
  sort(tests) {
    const isServer = ({ context }) => context.config.displayName?.name !== 'unit';
    const sorted = super.sort(tests);
    return [...sorted.filter(isServer), ...sorted.filter((test) => !isServer(test))];
  }
}
