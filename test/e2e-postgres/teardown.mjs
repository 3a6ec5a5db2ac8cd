/** Prints how long it all took, builds included. */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default function tearDown() {
  const seconds = (performance.now() - globalThis.sluiceTeamServerBegan) / 1000;
  process.stderr.write(`e2e:postgres: took ${seconds.toFixed(1)} s\n`);
}
