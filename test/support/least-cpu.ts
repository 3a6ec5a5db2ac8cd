/** What something costs by itself: time of a processor, the least of three, so that whoever else is at work does not count. **Unit** ms. */
export async function leastCpuMs(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    await work();
    times.push(process.cpuUsage(before).user / 1_000);
  }
  return Math.min(...times);
}
