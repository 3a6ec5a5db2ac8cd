/**
 * The owner's side of an index's thread. It is started by the first question, built anew after whatever went wrong with it, and never keeps a process from ending. Questions are answered in
 * the order in which they were asked.
 */
import { Worker } from 'node:worker_threads';
import { entryFile } from '../../../../config/system/entries.js';
import type { Compared, IndexPlace, IndexRequest } from './task-index.js';

/** What it reads of ten thousand texts is garbage at once: room for that is memory which stays. */
const YOUNG = { maxYoungGenerationSizeMb: 3 } as const;

type Reply =
  | { readonly kind: 'answer'; readonly answer: Compared | null }
  | { readonly kind: 'failed'; readonly why: string };

/** A place of items and a project. */
export type IndexOf = (place: IndexPlace) => Pick<IndexThread, 'ask'>;

/** Each is begun by the first comparison, and stays as long as the worker. */
export function openIndexes(): IndexOf {
  const known = new Map<string, IndexThread>();
  return (place) => {
    const key = JSON.stringify(place);
    const index = known.get(key) ?? new IndexThread(place);
    known.set(key, index);
    return index;
  };
}

interface Waiting {
  readonly resolve: (answer: Compared | null) => void;
  readonly reject: (error: Error) => void;
}

export class IndexThread {
  private worker: Worker | null = null;
  private waiting: Waiting[] = [];

  /** `entry`: the thread's program, where that of the build is not beside this file. */
  constructor(
    private readonly place: IndexPlace,
    private readonly entry: string = entryFile('dedup-index'),
  ) {}

  /** Errors: plain Error where the thread failed or died; whoever asks again has a new one, which knows what the folders say. */
  ask(request: IndexRequest): Promise<Compared | null> {
    const worker = this.worker ?? this.begin();
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.postMessage(request);
    });
  }

  private begin(): Worker {
    const worker = new Worker(this.entry, { workerData: this.place, execArgv: [], resourceLimits: YOUNG });
    worker.unref();
    worker.on('message', (reply: Reply) => {
      if (this.worker !== worker) return;
      if (reply.kind === 'failed') this.lose(reply.why);
      else this.waiting.shift()?.resolve(reply.answer);
    });
    worker.on('error', (error) => this.worker === worker && this.lose(error.message));
    worker.on('exit', () => this.worker === worker && this.lose('its thread ended'));
    this.worker = worker;
    return worker;
  }

  private lose(why: string): void {
    const { worker, waiting } = this;
    this.worker = null;
    this.waiting = [];
    void worker?.terminate();
    for (const { reject } of waiting) reject(new Error(`tasks cannot be compared: ${why}`));
  }
}
