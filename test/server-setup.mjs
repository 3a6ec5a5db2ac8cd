/** The servers of the tests (server-pool.mjs), for server-environment.mjs. */
import { openServerPool } from './server-pool.mjs';

export default async function setUp() {
  const pool = await openServerPool();
  globalThis.sluiceServerPool = pool;
  process.env.SLUICE_TEST_SERVERS = String(pool.port);
  process.env.SLUICE_TEMPORAL_CLI = pool.binary;
}
