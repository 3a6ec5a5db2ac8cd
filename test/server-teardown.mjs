/** Ends the servers of server-setup.mjs. */
export default async function tearDown() {
  await globalThis.sluiceServerPool.close();
}
