/** Holds a server of the pool (server-pool.mjs) while a test file runs, and names its address in SLUICE_TEST_ADDRESS. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { TestEnvironment } from 'jest-environment-node';

export default class ServerEnvironment extends TestEnvironment {
  #held = null;

  async setup() {
    await super.setup();
    this.#held = connect(Number(process.env.SLUICE_TEST_SERVERS), '127.0.0.1');
    const lines = createInterface({ input: this.#held });
    const [address] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [null])]);
    if (address === null) throw new Error('the pool has no server for this file');
    this.global.process.env.SLUICE_TEST_ADDRESS = address;
  }

  async teardown() {
    this.#held?.destroy();
    await super.teardown();
  }
}
