/** Shares jobs out: each lane takes the next one when it is done with one. */

export interface Sharing<Lane> {
  readonly lanes: readonly Lane[];
  readonly stop: AbortController;
}

/** Errors: the first of a job, which stops all others, or the reason of the stop; only once every lane is at rest, since what they work in is removed after it. */
export async function shareOut<Lane, Job>(
  { lanes, stop }: Sharing<Lane>,
  jobs: readonly Job[],
  work: (lane: Lane, job: Job) => Promise<void>,
): Promise<void> {
  const queue = [...jobs];
  const atWork = lanes.map(async (lane) => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      stop.signal.throwIfAborted();
      await work(lane, job);
    }
  });
  try {
    await Promise.all(atWork);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(atWork);
    throw error;
  }
}
