/** One value that views are drawn from, and who is told that it changed. */
import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of this.listeners) listener();
  }

  change(by: (value: T) => T): void {
    this.set(by(this.current));
  }

  /** Answers what ends it. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The part of a store that a view shows; it is drawn anew when that part changes, at most once a frame. */
export function useStore<T, Part>(store: Store<T>, part: (value: T) => Part): Part {
  const [shown, show] = useState(() => part(store.value));
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      show(() => part(store.value));
    };
    const end = store.listen(() => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    draw();
    return () => {
      cancelAnimationFrame(frame);
      end();
    };
  }, [store]);
  return shown;
}
